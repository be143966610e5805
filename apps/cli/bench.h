/* `rill bench`: how fast the engine is on this machine, beside the machine's own memory bandwidth. */
#ifndef RILL_CLI_BENCH_H
#define RILL_CLI_BENCH_H

/* argv[0] is "bench". Returns the program's exit code: 0 done, 1 a target was missed (with --check), 2 bad usage, 3 a
 * scene is missing or bad, 4 no memory or the file could not be written. */
int rill_cli_bench(int argc, char **argv);

#endif

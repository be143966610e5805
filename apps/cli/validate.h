/* `rill validate`: the reference cases, measured. See docs/validation.md for what each case is. */
#ifndef RILL_CLI_VALIDATE_H
#define RILL_CLI_VALIDATE_H

/* argv[0] is "validate". Returns the exit code: 0 all pass, 1 something failed, 2 bad usage, 4 the machine failed. */
int rill_cli_validate(int argc, char **argv);

#endif

/* rill render in a build without graphics libraries: says what is missing. */
#include "cli.h"

int rill_cli_render(int argc, char **argv) {
    (void)argc;
    (void)argv;
    fprintf(stderr, "rill render: this program was built without graphics. On Debian: apt-get install libepoxy-dev "
                    "libegl1-mesa-dev libgl1-mesa-dri libcglm-dev; then configure and build again\n");
    return RILL_EXIT_MACHINE;
}

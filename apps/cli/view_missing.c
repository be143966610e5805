/* rill view in a build without the libraries for windows: says what is missing. */
#include "cli.h"

int rill_cli_view(int argc, char **argv) {
    (void)argc;
    (void)argv;
    fprintf(stderr, "rill view: this program was built without a window. On Debian: apt-get install g++ libglfw3-dev "
                    "libimgui-dev libepoxy-dev libegl1-mesa-dev libgl1-mesa-dri libcglm-dev fonts-dejavu-core; then "
                    "configure and build again\n");
    return RILL_EXIT_MACHINE;
}

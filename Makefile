# A thin front to CMake. `make demo` and `make test` work from a fresh clone on Debian 12, as root or with sudo.
#
#   make demo       install what is missing, build, run a scene, draw it, say where the results are; with a display, play it
#   make test       install what is missing, build, run every test; ends with `N passed, N failed`
#   make test-long  the same with all seeds under the sanitizers too, a thousand worlds and a long search for crashes (hours)
#   make bench      speed, against the memory's own (CSV=file to keep it)
#   make validate   accuracy, against exact solutions and measurements
#   make gallery    draw the pictures of docs/gallery.md (a quarter of an hour without a graphics card)
#   make campaign   energy, speeds and rest of random closed worlds (FIRST=1 COUNT=1000; ten minutes)
#   make fuzz       a long search for crashes (SECONDS=600 per target)
#   make check-blender  let Blender import what `rill bake` writes (installs Blender, which is large)
#   make check-usd  let an independent USD library read the .usda that `rill bake` writes (takes it from npm)
#   make format     clang-format over the sources
#   make clean

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SECONDS ?= 600
FIRST ?= 1
COUNT ?= 1000
SCENE ?= scenes/surgery.yaml
OUT ?= out/$(basename $(notdir $(SCENE)))

MAKEFLAGS += --no-print-directory

.PHONY: build program demo test test-long bench validate gallery campaign fuzz check-blender check-usd format clean
.DEFAULT_GOAL := build

build:
	@tools/install_packages.sh build
	@cmake -S . -B build
	@cmake --build build -j $(JOBS)

program:
	@tools/install_packages.sh build
	@cmake -S . -B build
	@cmake --build build -j $(JOBS) --target rill_program

# The picture first: drawing is slow without a graphics card.
demo: program
	@mkdir -p $(OUT)
	build/rill render $(SCENE) -o $(OUT)/still.png --at 2.5 --size 960x540 --samples 6
	build/rill run $(SCENE) --out $(OUT)
	build/rill render $(SCENE) -o $(OUT)/movie.mp4 --at 2.5 --size 480x270 --samples 2 --fps 15
	@echo
	@echo "The results are in $(OUT): still.png, movie.mp4, and log.csv with one row per frame (volume, what was poured and"
	@echo "drained, the probes)."
	@echo "Try also: build/rill run $(SCENE) --out $(OUT) --fields    (depths and velocities as .npy arrays)"
	@echo "          build/rill --help,  other scenes in scenes/,  build/rill view for all of them in a window"
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then build/rill view $(SCENE); fi

test:
	@tools/install_packages.sh test
	@JOBS=$(JOBS) tools/run_tests.sh

test-long:
	@tools/install_packages.sh test
	@JOBS=$(JOBS) LONG=1 tools/run_tests.sh
	@$(MAKE) campaign fuzz

bench: program
	build/rill bench $(if $(CSV),--csv $(CSV))

validate: program
	build/rill validate

gallery: program
	@tools/make_gallery.sh build/rill

campaign:
	@tools/install_packages.sh test
	@cmake -S . -B build
	@cmake --build build -j $(JOBS) --target test_energy_worlds
	build/tests/test_energy_worlds $(FIRST) $(COUNT)

fuzz:
	@tools/install_packages.sh test
	@python3 tools/run_fuzz.py --seconds $(SECONDS)

check-blender: program
	@tools/install_packages.sh blender
	@tools/check_blender.sh build/rill

check-usd: program
	@command -v npm >/dev/null || tools/install_packages.sh usd
	@tools/check_usd.sh build/rill

format:
	@tools/install_packages.sh format
	find include src apps tests tools examples -name '*.[ch]' -exec clang-format -i {} +

clean:
	rm -rf build build-debug build-asan build-tsan build-fuzz out

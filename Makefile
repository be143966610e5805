# A thin front to CMake. `make demo` and `make test` work from a fresh clone on Debian 12, as root or with sudo.
#
#   make demo       install what is missing, build, run a scene, say where the results are
#   make test       install what is missing, build, run every test; ends with `N passed, N failed`
#   make bench      speed, against the memory's own (CSV=file to keep it)
#   make validate   accuracy, against exact solutions and measurements
#   make pictures   draw the pictures of docs/images (some minutes)
#   make fuzz       a long search for crashes (SECONDS=600 per target)
#   make format     clang-format over the sources
#   make clean

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SECONDS ?= 600
SCENE ?= scenes/surgery.yaml
OUT ?= out/$(basename $(notdir $(SCENE)))

MAKEFLAGS += --no-print-directory

.PHONY: build program demo test bench validate fuzz format clean
.DEFAULT_GOAL := build

build:
	@tools/install_packages.sh build
	@cmake -S . -B build
	@cmake --build build -j $(JOBS)

program:
	@tools/install_packages.sh build
	@cmake -S . -B build
	@cmake --build build -j $(JOBS) --target rill_program

demo: program
	build/rill run $(SCENE) --out $(OUT)
	@echo
	@echo "The results are in $(OUT): log.csv has one row per frame (volume, what was poured and drained, the probes)."
	@echo "Try also: build/rill run $(SCENE) --out $(OUT) --fields    (depths and velocities as .npy arrays)"
	@echo "          build/rill --help,  other scenes in scenes/"

test:
	@tools/install_packages.sh test
	@JOBS=$(JOBS) tools/run_tests.sh

bench: program
	build/rill bench $(if $(CSV),--csv $(CSV))

validate: program
	build/rill validate

# $(call draw,SCENE,SECONDS,OPTIONS)
draw = build/rill run scenes/$(1).yaml --until $(2) --every $(2) --fields --out out/pictures/$(1) && \
	python3 -B tools/draw_fields.py out/pictures/$(1) docs/images/$(1).png $(3)

pictures: build
	rm -rf out/pictures
	$(call draw,surgery,2.75,--cell 0.0005 --liquid blood --solid bone)
	$(call draw,spilled_coffee,0.6,--cell 0.001 --liquid coffee --solid table --above -0.05 --foot 0.018 --yaw 30)
	$(call draw,three_layers,2.5,--cell 0.001 --liquid water --yaw 35)

fuzz:
	@tools/install_packages.sh test
	@python3 tools/run_fuzz.py --seconds $(SECONDS)

format:
	@tools/install_packages.sh format
	find include src apps tests examples -name '*.[ch]' -exec clang-format -i {} +

clean:
	rm -rf build build-debug build-asan build-tsan build-fuzz out

# Usher. `make run` and `make test` are all that a fresh Debian with a Swift toolchain needs.

# What is built and tested with, by Debian's names; `deps` installs what is missing.
PACKAGES := libcurl4-openssl-dev libsimdjson-dev libsqlite3-dev libuv1-dev zlib1g-dev g++ pkg-config \
	socat netcat-openbsd jq openssl python3 util-linux

SWIFT := swift
CONFIGURATION ?= release
BUILD_FLAGS := --explicit-target-dependency-import-check error
MISSING = $(shell for package in $(PACKAGES); do \
	dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'install ok installed' || echo $$package; done)

.PHONY: run build test test-asan test-tsan lint deps clean help

help: ## Lists the targets.
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' Makefile | expand -t 16

run: build ## Builds, and serves the sample movies and the system's users until Ctrl-C.
	@echo "The shell's client, for another terminal: $(CURDIR)/.build/$(CONFIGURATION)/usherctl user fetch"
	@.build/$(CONFIGURATION)/usherd $(ARGUMENTS)

build: deps ## Builds the daemon and the client.
	$(SWIFT) build -c $(CONFIGURATION) $(BUILD_FLAGS) --product usherd
	$(SWIFT) build -c $(CONFIGURATION) $(BUILD_FLAGS) --product usherctl

test: deps lint ## Checks the layout, builds everything and runs all tests.
	$(SWIFT) build --build-tests $(BUILD_FLAGS)
	$(SWIFT) test --skip-build

test-asan: deps ## Runs all tests under AddressSanitizer, leaks included.
	# XCTest's own runner leaks; there is no XCTest here.
	$(SWIFT) test --disable-xctest --sanitize=address --scratch-path .build/asan

test-tsan: deps ## Runs all tests under ThreadSanitizer.
	$(SWIFT) test --sanitize=thread -Xswiftc -DTSAN --scratch-path .build/tsan

lint: ## Checks the layout of the code.
	$(SWIFT) format lint --strict --recursive --parallel Sources Tests Package.swift

deps: ## Installs the Debian packages that are missing.
ifneq ($(shell command -v dpkg-query),)
	@set -e; missing="$(strip $(MISSING))"; [ -n "$$missing" ] || exit 0; \
	as_root=; [ "$$(id -u)" = 0 ] || as_root='sudo -n'; \
	if [ -n "$$as_root" ] && ! sudo -n true 2>/dev/null; then \
		echo "Packages are missing. Install them with:" >&2; \
		echo "  sudo apt-get install -y $$missing" >&2; exit 1; \
	fi; \
	echo "Installing Debian packages: $$missing"; \
	$$as_root apt-get update -qq; \
	$$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$missing >/dev/null
else
	@echo "No dpkg here: install what these Debian packages hold: $(PACKAGES)"
endif

clean: ## Removes what was built.
	$(SWIFT) package clean
	rm -rf .build

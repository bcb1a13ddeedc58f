# Usher. `make run` and `make test` are all that a fresh Debian with a Swift toolchain needs.

# What is built and tested with, by Debian's names; `deps` installs what is missing.
PACKAGES := libcurl4-openssl-dev libsimdjson-dev libsqlite3-dev libuv1-dev zlib1g-dev g++ pkg-config \
	socat netcat-openbsd jq openssl python3 util-linux systemd mandoc dpkg-dev strace valgrind

SWIFT := swift
CONFIGURATION ?= release
DOCC := docc
# The products that have articles; what a product exports is documented with it.
DOCUMENTED := UsherClient UsherStreams
BUILD_FLAGS := --explicit-target-dependency-import-check error
FUZZ_TARGETS ?= requests cursors shorthand upstream text
FUZZ_BUILD := .build/fuzz
FUZZ_BYTES ?= 1024
SIMULATE_BUILD := .build/simulate
SEEDS ?= 10000
SECONDS ?= 60
# How much `test-faults` breaks, a sample or all, and how long `soak` takes.
FAULTS ?= all
MINUTES ?= 60
MISSING = $(shell for package in $(PACKAGES); do \
	dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'install ok installed' || echo $$package; done)

# Where `install` puts things; a packager sets DESTDIR.
prefix ?= /usr/local
sysconfdir ?= /etc
bindir = $(prefix)/bin
mandir = $(prefix)/share/man
libdir = $(prefix)/lib
# Programs that need no Swift on the machine they run on are built apart.
SCRATCH ?= .build/static/release
VERSION = $(shell sed -n 's/.*productVersion = "\(.*\)"/\1/p' Sources/UsherWire/Version.swift)

.PHONY: run build static test test-asan test-tsan test-instructions test-units test-confined test-system \
	test-faults soak simulate fuzz lint docs api bench deps \
	clean help \
	install install-files uninstall deb

help: ## Lists the targets.
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' Makefile | expand -t 16

run: build ## Builds, and serves the sample movies and the system's users until Ctrl-C.
	@echo "The shell's client, for another terminal: $(CURDIR)/.build/$(CONFIGURATION)/usherctl user fetch"
	@.build/$(CONFIGURATION)/usherd $(ARGUMENTS)

build: deps ## Builds the daemon and the client.
	$(SWIFT) build -c $(CONFIGURATION) $(BUILD_FLAGS) --product usherd
	$(SWIFT) build -c $(CONFIGURATION) $(BUILD_FLAGS) --product usherctl

static: deps ## Builds programs with the Swift libraries in them.
	$(SWIFT) build -c release $(BUILD_FLAGS) --static-swift-stdlib --scratch-path .build/static --product usherd
	$(SWIFT) build -c release $(BUILD_FLAGS) --static-swift-stdlib --scratch-path .build/static --product usherctl

install: static install-files ## Installs below DESTDIR and prefix (/usr/local).

install-files: # Installs what is built.
	install -d $(DESTDIR)$(bindir)
	install -m 755 $(SCRATCH)/usherd $(SCRATCH)/usherctl $(DESTDIR)$(bindir)
	install -d $(DESTDIR)$(libdir)/systemd/system $(DESTDIR)$(libdir)/systemd/user
	for folder in system user; do for unit in usherd.service usherd.socket; do \
		sed -e 's,@bindir@,$(bindir),' -e 's,@sysconfdir@,$(sysconfdir),' systemd/$$folder/$$unit \
			>$(DESTDIR)$(libdir)/systemd/$$folder/$$unit || exit 1; done; done
	install -D -m 644 systemd/usher.sysusers $(DESTDIR)$(libdir)/sysusers.d/usher.conf
	install -D -m 644 systemd/usher.tmpfiles $(DESTDIR)$(libdir)/tmpfiles.d/usher.conf
	install -d $(DESTDIR)$(sysconfdir)/usher/conf.d
	[ -e $(DESTDIR)$(sysconfdir)/usher/usherd.conf ] || \
		install -m 644 packaging/usherd.conf $(DESTDIR)$(sysconfdir)/usher/usherd.conf
	for page in packaging/man/*; do \
		install -D -m 644 $$page $(DESTDIR)$(mandir)/man$${page##*.}/$${page##*/} || exit 1; done
	install -d $(DESTDIR)$(prefix)/share/bash-completion/completions \
		$(DESTDIR)$(prefix)/share/zsh/site-functions $(DESTDIR)$(prefix)/share/fish/vendor_completions.d
	set -e; for program in 'usherd --completions' 'usherctl completions'; do \
		name=$${program%% *}; share=$(DESTDIR)$(prefix)/share; \
		$(SCRATCH)/$$program bash >$$share/bash-completion/completions/$$name; \
		$(SCRATCH)/$$program zsh >$$share/zsh/site-functions/_$$name; \
		$(SCRATCH)/$$program fish >$$share/fish/vendor_completions.d/$$name.fish; done

uninstall: ## Removes what install put there; configuration and state stay.
	cd $(DESTDIR)$(prefix) && rm -f bin/usherd bin/usherctl \
		lib/systemd/system/usherd.service lib/systemd/system/usherd.socket \
		lib/systemd/user/usherd.service lib/systemd/user/usherd.socket \
		lib/sysusers.d/usher.conf lib/tmpfiles.d/usher.conf \
		share/man/man1/usherctl.1 share/man/man5/usherd.conf.5 share/man/man7/usher.7 share/man/man8/usherd.8 \
		share/bash-completion/completions/usherd share/bash-completion/completions/usherctl \
		share/zsh/site-functions/_usherd share/zsh/site-functions/_usherctl \
		share/fish/vendor_completions.d/usherd.fish share/fish/vendor_completions.d/usherctl.fish

deb: static ## Makes a Debian package in .build.
	SCRATCH=$(SCRATCH) packaging/make-deb $(VERSION) .build
	! command -v lintian >/dev/null || lintian --allow-root --fail-on error .build/usher_$(VERSION)_*.deb

# The bridge has tests only where its trait is on.
# Those of faults and soaks have targets of their own.
TEST_TARGETS := $(filter-out UsherRxSwiftTests FaultTests,$(sort $(notdir $(wildcard Tests/*Tests)) FuzzingTests))
# Many tests wait for other processes and block their threads meanwhile, of which a small machine has few; so each
# target's tests run on their own. libcurl obeys the variables for proxies, and the tests' servers are on this machine.
run-tests = set -e; for tests in $(TEST_TARGETS); do \
	no_proxy=127.0.0.1,localhost $(SWIFT) test --skip-build $(1) --filter "^$$tests\\."; done

test: deps lint test-units ## Checks the layout, builds everything and runs all tests.
	$(SWIFT) build --build-tests $(BUILD_FLAGS)
	@$(call run-tests)

test-asan: deps ## Runs all tests under AddressSanitizer, leaks included.
	$(SWIFT) build --build-tests --sanitize=address --scratch-path .build/asan
	# XCTest's own runner leaks; there is no XCTest here.
	@$(call run-tests,--disable-xctest --sanitize=address --scratch-path .build/asan)

test-tsan: deps ## Runs all tests under ThreadSanitizer.
	$(SWIFT) build --build-tests --sanitize=thread -Xswiftc -DTSAN --scratch-path .build/tsan
	@$(call run-tests,--disable-xctest --sanitize=thread -Xswiftc -DTSAN --scratch-path .build/tsan)

test-units: ## Checks the units, the account and the folders that come with the system service.
	Tests/System/units.sh

test-confined: deps ## Tests the daemon under the system call filter of its unit.
	$(SWIFT) build --build-tests $(BUILD_FLAGS)
	SWIFT=$(SWIFT) Tests/System/confined.sh

test-system: deb ## Tests the package under a real systemd, as root: BOOT=path/to/boot-systemd.
	@[ -n "$(BOOT)" ] || { echo "make test-system needs BOOT=, a program that boots a throw-away Debian, installs" \
		"packages in it and runs a script: BOOT [--packages A,B] SCRIPT PACKAGE.deb" >&2; exit 2; }
	$(BOOT) --timeout 240 --packages \
		$$(dpkg-deb -f .build/usher_$(VERSION)_*.deb Depends | sed 's/([^)]*)//g; s/|[^,]*//g; s/ //g') \
		Tests/System/service.sh .build/usher_$(VERSION)_*.deb

# The daemon as it is installed, under the tests that break its surroundings.
run-faults = $(SWIFT) build --build-tests $(BUILD_FLAGS) && \
	no_proxy=127.0.0.1,localhost USHER_TEST_PROGRAMS=$(CURDIR)/.build/release \
	$(SWIFT) test --skip-build $(1)

test-faults: export USHER_FAULTS := $(FAULTS)
test-faults: deps ## Breaks what the real daemon stands on, all ways or FAULTS=some; some need root.
	$(SWIFT) build -c release $(BUILD_FLAGS) --product usherd
	$(call run-faults,--filter '^FaultTests\.')

soak: export USHER_SOAK_MINUTES := $(MINUTES)
soak: deps ## Lets the real daemon live with random faults for MINUTES, an hour unless told otherwise.
	$(SWIFT) build -c release $(BUILD_FLAGS) --product usherd
	$(call run-faults,--filter '^FaultTests\..*A soak')

# Hashing is the seed's too: what a dictionary lists first decides what happens first.
simulate: export SWIFT_DETERMINISTIC_HASHING := 1
simulate: deps ## Walks the daemon through SEEDS (10000) simulated worlds full of faults; SEED=N shows one.
	USHER_SIMULATE=1 $(SWIFT) build -c release --scratch-path $(SIMULATE_BUILD) --product usher-simulation
	$(SIMULATE_BUILD)/release/usher-simulation $(if $(SEED),--seed $(SEED),$(SEEDS))

# Without a backtrace of Swift's, since libFuzzer reports crashes itself.
fuzz: export SWIFT_BACKTRACE := enable=no
fuzz: deps ## Fuzzes all that reads what strangers send, each for SECONDS.
	USHER_FUZZ=1 $(SWIFT) build -c release --scratch-path $(FUZZ_BUILD) --product UsherFuzzer \
		--sanitize=fuzzer --sanitize=address -Xswiftc -enable-testing \
		-Xswiftc -sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table
	@set -e; for target in $(FUZZ_TARGETS); do \
		echo "== $$target"; found=$(FUZZ_BUILD)/found/$$target; mkdir -p $$found; \
		USHER_FUZZ_TARGET=$$target $(FUZZ_BUILD)/release/UsherFuzzer -max_total_time=$(SECONDS) \
			-timeout=5 -max_len=$(FUZZ_BYTES) -dict=Tests/Fuzzing/tokens.dict \
			-print_final_stats=1 -artifact_prefix=$$found- $$found Tests/Fuzzing/Corpus/$$target; \
	done

lint: ## Checks the layout of the code, and the manual.
	$(SWIFT) format lint --strict --recursive --parallel Sources Tests Package.swift
	mandoc -Tlint -Wwarning packaging/man/*

docs: ## Builds the library's documentation into .build/docs.
	$(SWIFT) build --target UsherClient
	@set -e; modules="$$($(SWIFT) build --show-bin-path)/Modules"; \
	triple="$$($(SWIFT) -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1)"; \
	for product in $(DOCUMENTED); do \
		rm -rf .build/symbols/$$product .build/docs/$$product; \
		mkdir -p .build/symbols/$$product .build/docs; \
		$(SWIFT) symbolgraph-extract -module-name $$product -I "$$modules" -target "$$triple" \
			-experimental-allowed-reexported-modules=UsherStreams,UsherWire \
			-minimum-access-level public -skip-synthesized-members \
			-output-dir .build/symbols/$$product; \
		$(DOCC) convert Sources/$$product/$$product.docc --warnings-as-errors \
			--additional-symbol-graph-dir .build/symbols/$$product \
			--fallback-bundle-identifier $$product --output-dir .build/docs/$$product; \
	done
	@echo "To read it: python3 -m http.server -d .build/docs/UsherClient, then" \
		"http://localhost:8000/documentation/usherclient"

api: ## Compares the libraries' interface with the last tag's; fails if a user's code would break.
	@tag="$$(git describe --tags --abbrev=0 2>/dev/null)"; \
	if [ -z "$$tag" ]; then echo "There is no tag yet, and no interface to compare with."; exit 0; fi; \
	$(SWIFT) package diagnose-api-breaking-changes "$$tag" --products $(DOCUMENTED)

bench: static ## Measures the daemon, as it is installed, and the streams; build nothing else meanwhile.
	$(SWIFT) build -c release $(BUILD_FLAGS) --static-swift-stdlib --scratch-path .build/static --product usher-floor
	$(SWIFT) build -c release $(BUILD_FLAGS) --static-swift-stdlib --scratch-path .build/static --product usher-bench
	.build/static/release/usher-bench daemon
	.build/static/release/usher-bench streams

test-instructions: static ## Counts the instructions of a request and of a push; fails if there are far more than before.
	Tests/Instructions/count.py .build/static/release/usherd

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

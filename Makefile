# The only entry point. It starts from git, make, Node >= 20 and npm; the Node 24 of the lockfile runs everything.
NODE := node_modules/.bin/node
READY := node_modules/.package-lock.json

.PHONY: help demo test test-full ci kubernetes servers check build images charts release publish version build-reproducible e2e aio cloud cloud-full cloud-release cloud-upgrade cloud-operator chaos tool-codes bench soak evidence docs format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Else npm's file would stand for a Node that is missing.
.DELETE_ON_ERROR:

$(READY): package.json package-lock.json .npmrc
	@echo 'make: installing Node 24 and the packages of package-lock.json into node_modules (once)' >&2
	@npm ci --loglevel=error
	@test -x $(NODE) || { echo 'make: npm has no Node 24 for this system; kolla-pod builds and runs on Linux (amd64, arm64)' >&2; exit 1; }
	@touch $@

demo: $(READY) ## a pod's life as local processes, with real MariaDB and Keystone; no root, no engine, no cluster
	@$(NODE) demo/index.ts

test: $(READY) ## before a commit: types, lint, unit, contract, one smoke test per helper, charts; SUITE=integration for one suite, CHANGED=1 for the tests that changed files affect
	@$(NODE) test/run.ts $(or $(SUITE),test) $(if $(CHANGED),--changed) $(if $(RESULTS),--results $(RESULTS))

test-full: $(READY) ## before a release: every suite; lists the tests that this machine can't run
	@$(NODE) test/run.ts full

# A file of make test that is unfinished after MINUTES counts as failed; unfinished files of make test-full are listed.
ci: $(READY) ## make test-full, with the files of make test first in their lanes; at most MINUTES=75; RESULTS=FILE leaves out what make test RESULTS=FILE ran
	@$(NODE) test/run.ts ci --minutes $(or $(MINUTES),75) $(if $(RESULTS),--results $(RESULTS))

check: $(READY) ## types, lint, format, unit tests
	@$(NODE) test/run.ts check unit

build: $(READY) ## dist/kolla-pod and its names
	@$(NODE) build/binary.ts

charts: $(READY) ## dist/charts/*.tgz, with the library and the schema in each
	@$(NODE) build/charts.ts

images: $(READY) ## dist/images/*.tar: scratch, install, core and operator for amd64 and arm64, SBOM and licences next to them; ARCH=amd64 for one (arm64 takes minutes), REPOSITORY=registry/name
	@$(NODE) build/images.ts $(foreach arch,$(ARCH),--arch $(arch)) $(if $(REPOSITORY),--repository $(REPOSITORY))

release: $(READY) ## dist/release/VERSION: binaries, images, charts, SBOMs, provenance; KEY=FILE signs it; ARCH=amd64 for one, REPOSITORY=registry/name, COMPRESSION=zstd, SOURCE=URI, BUILDER=URI, KEY_URL=URL, STALE_EVIDENCE=1
	@$(NODE) build/release.ts $(foreach arch,$(ARCH),--arch $(arch)) $(if $(KEY),--key $(KEY)) $(if $(REPOSITORY),--repository $(REPOSITORY)) $(if $(COMPRESSION),--compression $(COMPRESSION)) $(if $(SOURCE),--source $(SOURCE)) $(if $(BUILDER),--builder $(BUILDER)) $(if $(KEY_URL),--key-url $(KEY_URL)) $(if $(STALE_EVIDENCE),--stale-evidence)

publish: $(READY) ## copies that release to REGISTRY=registry.example.com REPOSITORY=team/kolla-pod, by skopeo; KEY=cosign.pub verifies it before
	@KEY=$(if $(KEY),$(abspath $(KEY))) dist/release/$$($(NODE) -p "require('./package.json').version")/publish.sh $(REGISTRY)/$(REPOSITORY)

version: $(READY) ## states VERSION=1.2.3 wherever the sources, charts and pages have the version
	@$(NODE) build/version.ts $(VERSION)

build-reproducible: $(READY) ## builds twice and compares
	@$(NODE) build/reproducible.ts

e2e: $(READY) ## a pod's life on a real Kubernetes node (needs root)
	@$(NODE) test/run.ts e2e

aio: $(READY) ## OpenStack from the charts on a real Kubernetes node, with faults (needs root)
	@$(NODE) test/run.ts aio

cloud: $(READY) ## a release of OpenStack from PyPI on the charts, on three nodes, and what its users do (needs root); RELEASE=2026.1, KUBERNETES=1.36, RABBITMQ=4.0, MARIADB=10.11, ADDRESSES=IPv6-only or dual-stack, STAY=1 to keep it, EVIDENCE=1 to print docs/evidence/cloud.md and the status page's picture; GUEST=1 for virtual machines that boot
	@RELEASE=$(RELEASE) KUBERNETES=$(KUBERNETES) RABBITMQ=$(RABBITMQ) MARIADB=$(MARIADB) ADDRESSES=$(ADDRESSES) STAY=$(STAY) EVIDENCE=$(EVIDENCE) $(NODE) test/cloud/$(if $(GUEST),guest/)index.ts

cloud-full: $(READY) ## make cloud of every release, with Tempest's smoke tests and a reload of each service, then one with guests, 2026.1 to 2026.2 under load and 5 minutes of faults; RELEASE=2026.1 for one release alone
	@for release in $(or $(RELEASE),$(basename $(notdir $(wildcard test/cloud/releases/*.txt)))); do FULL=1 RELEASE=$$release STAY= EVIDENCE=$(EVIDENCE) $(NODE) test/cloud/index.ts || exit 1; done
	@$(if $(RELEASE),,$(MAKE) --no-print-directory cloud GUEST=1 RELEASE= STAY=)
	@$(if $(RELEASE),,$(MAKE) --no-print-directory cloud-upgrade FROM=2026.1 RELEASE=2026.2 STAY=)
	@$(if $(RELEASE),,$(MAKE) --no-print-directory chaos MINUTES=5 RELEASE= STAY= EVIDENCE=)

cloud-release: $(READY) ## from the directory of a release to a server: a registry, make publish, helm install oci:// of all charts (needs root); RELEASE=2026.1, STAY=1 to keep it, EVIDENCE=1 to print docs/evidence/release.md
	@RELEASE=$(RELEASE) STAY=$(STAY) EVIDENCE=$(EVIDENCE) $(NODE) test/cloud/released/index.ts

cloud-upgrade: $(READY) ## the same cloud from one release to another under load (needs root); FROM=2025.1 RELEASE=2026.1, STAY=1, EVIDENCE=1 to print docs/evidence/upgrade.md
	@FROM=$(FROM) RELEASE=$(RELEASE) STAY=$(STAY) EVIDENCE=$(EVIDENCE) $(NODE) test/cloud/upgrade/index.ts

cloud-operator: $(READY) ## the same cloud by kolla-operator, from one object, and upgraded under load (needs root); FROM=2025.1 RELEASE=2026.1, KILLS=3 FAULTS=PATTERN SEED=n, STAY=1, EVIDENCE=1 to print docs/evidence/cloud-operator.md
	@FROM=$(FROM) RELEASE=$(RELEASE) KILLS=$(KILLS) FAULTS='$(FAULTS)' SEED=$(SEED) STAY=$(STAY) EVIDENCE=$(EVIDENCE) $(NODE) test/cloud/operator/index.ts

chaos: $(READY) ## the same cloud under faults (needs root); MINUTES=60 SEED=n, FAULTS=PATTERN, RELEASE, STAY=1, EVIDENCE=1 to print docs/evidence/chaos.md
	@FAULTS='$(FAULTS)' RELEASE=$(RELEASE) MINUTES=$(MINUTES) SEED=$(SEED) STAY=$(STAY) EVIDENCE=$(EVIDENCE) $(NODE) test/cloud/chaos/index.ts

tool-codes: $(READY) ## exit codes of OpenStack's tools in each state of the database, for docs/reference/tool-codes.md (needs root); TOOLS='2026.2/trove 2026.1' for some
	@$(NODE) test/known-tools/codes.ts $(TOOLS)

bench: build ## costs compared with today's tools; NAME=set-configs for one; NAME=log-ship-before BEFORE=FILE for an earlier kolla-log-ship
	@BEFORE=$(BEFORE) $(NODE) bench/index.ts $(NAME)

soak: $(READY) ## property tests at length (SEED=1 CASES=20000), damaged input, TLS and lines of logs to kolla-core, a watch on a frozen API server, a thousand takeovers on Galera (TAKEOVERS=1000), a million log lines from bytes and from strings (LINES=1000000), every fault of log shipping (KILLS=100, MINUTES=10), Kolla's base image built for real, the demo and the node leave nothing behind
	@SEED=$(SEED) CASES=$(CASES) $(NODE) bench/soak/set-configs.ts
	@SEED=$(SEED) MINUTES=$(MINUTES) $(NODE) bench/soak/core-fuzz.ts
	@SEED=$(SEED) MINUTES=$(MINUTES) $(NODE) bench/soak/tls-fuzz.ts
	@SEED=$(SEED) MINUTES=$(MINUTES) $(NODE) bench/soak/log-tables-fuzz.ts
	@$(NODE) bench/soak/api-server.ts
	@PROBE_MINUTES=$(PROBE_MINUTES) $(NODE) bench/soak/probe.ts
	@SEED=$(SEED) TAKEOVERS=$(TAKEOVERS) $(NODE) bench/soak/takeovers.ts
	@SEED=$(SEED) LINES=$(LINES) $(NODE) bench/soak/log-bytes.ts
	@SEED=$(SEED) KILLS=$(KILLS) MINUTES=$(MINUTES) $(NODE) bench/soak/log-ship.ts
	@$(NODE) bench/soak/kolla-base.ts
	@bash bench/soak/unchanged.sh bash bench/soak/demo-as-nobody.sh
	@bash bench/soak/unchanged.sh bash -c '$(MAKE) e2e && $(MAKE) e2e'

kubernetes: $(READY) ## helpers, charts and operator on another version of Kubernetes, for docs/reference/support.md (needs root): KUBERNETES=1.36; ONLY='test/aio/**' for some of its files
	@KUBERNETES=$(KUBERNETES) $(NODE) test/run.ts kubernetes --evidence $(if $(ONLY),--only '$(ONLY)')

servers: $(READY) ## helpers on another version of RabbitMQ or MariaDB, for docs/reference/support.md: RABBITMQ=4.0 MARIADB=10.11
	@RABBITMQ=$(RABBITMQ) MARIADB=$(MARIADB) $(NODE) test/run.ts servers --evidence

evidence: $(READY) ## make test-full, and prints what passed into docs/reference/support.md
	@$(NODE) test/run.ts full --evidence

docs: $(READY) ## the pages generated from tables
	@$(NODE) build/docs.ts

format: $(READY)
	@node_modules/.bin/oxfmt .

clean: ## removes build output; the cache of fetched parts stays
	@rm -rf dist node_modules

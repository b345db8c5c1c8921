# Two commands do everything, including the set-up: `make tck` runs the kit, and `make test` runs the tests.
# While you work, `make check` runs only the tests and cases that your changes concern.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DEMO   := build/demo
REPORT := build/report
CALCITE := build/engines/calcite
FLINK  := build/engines/flink
HAZELCAST := build/engines/hazelcast
KAFKA  := build/kafka
CLUSTER := build/cluster
SITE   := build/site
# The folder of the playground, if it has been built: the site has a copy of it.
PLAYGROUND ?= build/playground
KNOWN  := --known spark_backend/known.yaml
# A run of another engine writes a new report, or (make UPDATE=yes …) runs the cases that are new in the corpus.
LINES  := $(if $(UPDATE),--update,--jsonl)
TESTS  := $(BIN)/python -m pytest --quiet --numprocesses 2 --no-loadscope-reorder

# Processes share the modules that one of them has compiled; compiling them takes a second of CPU time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: tck tck-sqlite tck-duckdb tck-sparknative report differences test test-nightly score score-again lint lowest bench nexmark flights grammar demo index traces clean help

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort

# Python compiles a module when it is first imported, and most modules of the packages are never imported.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --use-pep517 --no-compile --require-hashes
# The lines of PySpark in the list of packages.  To build it takes as long as to install all others, so both are done
# at the same time.
PYSPARK := /^pyspark==/,/[^\\]$$/

$(READY): pyproject.toml .ci/locked.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "rowtime needs Python 3.11 or later; name one with: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Setting up $(VENV) (once; a few minutes) ..."
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "$(PYTHON) has no venv module; on Debian: apt-get install python3-venv" >&2; exit 1; }
	@sed -n '$(PYSPARK)p' .ci/locked.txt | $(INSTALL) --no-deps --requirement /dev/stdin & spark=$$!; \
	  sed '$(PYSPARK)d' .ci/locked.txt | $(INSTALL) --requirement /dev/stdin; rest=$$?; \
	  wait $$spark && exit $$rest
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: setup
setup: $(READY)  ## make the virtual environment with all packages (the other commands do this, too)
	@$(BIN)/rowtime --version

ifdef BACKENDS
tck: $(READY)  ## run the kit: all cases on the reference, the core on Spark; or all on BACKENDS
	@$(BIN)/rowtime tck run --no-variants --processes 2 $(KNOWN) $(foreach each,$(BACKENDS),--backend $(each))
else
tck: $(READY)
	@ls $(VENV)/share/rowtime/spark-*.jsa >/dev/null 2>&1 || \
	  echo "Each start of Spark takes 3 seconds less after: $(BIN)/rowtime prepare-spark (once; half a minute, 200 MB)"
	@$(BIN)/rowtime tck run --processes 2 $(KNOWN) --backend reference \
	  --backend spark --backend spark-stream --core-for spark --core-for spark-stream; status=$$?; \
	  [ $$status -eq 130 ] || echo "make tck-spark runs all cases on Spark: more than an hour"; exit $$status
endif

.PHONY: tck-spark
tck-spark: $(READY)  ## run the whole kit on both Spark backends: more than an hour
	@$(BIN)/rowtime tck run --no-variants --processes 2 $(KNOWN) --backend spark --backend spark-stream

.PHONY: tck-large
tck-large: $(READY)  ## run a case of each kind with 100,000 rows, on the reference or on BACKENDS
	@$(BIN)/rowtime tck run --large 100000 --timeout 600 --processes 2 $(foreach each,$(or $(BACKENDS),reference),--backend $(each))

# A known failure that has a verdict does not fail the run; `make tck-NAME` writes the engine's report again.
tck-sqlite: $(READY)  ## run the kit on SQLite
	@$(BIN)/rowtime tck run --no-variants --backend engines.sqlite.backend:SqliteBackend \
	  --known engines/sqlite/known.yaml $(LINES) engines/sqlite/report.jsonl

tck-duckdb: $(READY)  ## run the kit on DuckDB
	@$(BIN)/rowtime tck run --no-variants --backend engines.duckdb.backend:DuckdbBackend \
	  --known engines/duckdb/known.yaml $(LINES) engines/duckdb/report.jsonl

tck-sparknative: $(READY)  ## run the kit on Spark's own streaming SQL, a line of each series: half an hour
	@$(BIN)/rowtime tck run --lines 1 --timeout 300 --backend engines.sparknative.backend:SparkNativeBackend \
	  --known engines/sparknative/known.yaml $(LINES) engines/sparknative/report.jsonl

.PHONY: tck-flink flink-defects
tck-flink: $(READY) $(FLINK)/.ready  ## run the kit on Apache Flink, whole and step by step, two lines of each series (needs a JDK 17 and the network)
	@$(BIN)/rowtime tck run --lines 2 --timeout 300 --backend engines.flink.backend:FlinkBackend \
	  --known engines/flink/known.yaml $(LINES) engines/flink/report.jsonl; whole=$$?; \
	  $(BIN)/rowtime tck run --lines 2 --timeout 300 --backend engines.flink.backend:FlinkStreamBackend \
	  --known engines/flink/known.yaml $(LINES) engines/flink/report-stream.jsonl; steps=$$?; \
	  $(BIN)/rowtime tck run --lines 2 --timeout 300 --needs changelogs \
	  --backend engines.flink.backend:FlinkUpsertBackend \
	  --known engines/flink/known.yaml $(LINES) engines/flink/report-upsert.jsonl && exit $$((whole || steps))

# A script ends with exit status 1 if Flink still has the defect, and with 0 if Flink has mended it.
flink-defects: $(FLINK)/.ready  ## run each script in which Flink contradicts its own documentation (five minutes)
	@for each in docs/engines/flink/*.py; do echo "== $$each"; \
	  $(FLINK)/venv/bin/python $$each >$(FLINK)/defect.txt 2>$(FLINK)/defect.log && echo "mended"; \
	  grep -q '^actual' $(FLINK)/defect.txt && sed -n '/^expected/,$$p' $(FLINK)/defect.txt || \
	  { echo "$$each did not reach its end:" >&2; tail $(FLINK)/defect.log >&2; exit 1; }; done

$(FLINK)/.ready: engines/flink/requirements.txt $(wildcard engines/flink/java/*.java)
	@command -v javac >/dev/null && command -v java >/dev/null || \
	  { echo "tck-flink needs a Java of version 17 with its compiler, javac; on Debian: apt-get install openjdk-17-jdk-headless" >&2; exit 1; }
	@echo "Setting up $(FLINK) (once; some minutes, a gigabyte) ..."
	@test -x $(FLINK)/venv/bin/python || $(PYTHON) -m venv $(FLINK)/venv
	@$(FLINK)/venv/bin/python -m pip install --quiet --disable-pip-version-check -r engines/flink/requirements.txt || \
	  { echo "tck-flink needs the network once, to install Flink" >&2; exit 1; }
	@mkdir -p $(FLINK)/classes && cp -R engines/flink/java/META-INF $(FLINK)/classes
	@javac -nowarn -d $(FLINK)/classes -classpath "$$(echo $(FLINK)/venv/lib/python*/site-packages/pyflink/lib)/*" \
	  engines/flink/java/*.java
	@touch $@

.PHONY: tck-calcite
tck-calcite: $(READY) $(CALCITE)/backend.jar  ## run the kit on Apache Calcite, two lines of each series (needs a JDK 17 and Maven)
	@$(BIN)/python -m engines.calcite.spellings $(CALCITE)/spellings.json
	@$(BIN)/rowtime tck run --no-variants --lines 2 --timeout 300 --backend cmd:engines/calcite/run \
	  --known engines/calcite/known.yaml $(LINES) engines/calcite/report.jsonl

$(CALCITE)/backend.jar: engines/calcite/pom.xml $(shell find engines/calcite/src -type f)
	@command -v mvn >/dev/null || { echo "make tck-calcite needs a JDK 17 and Maven; on Debian: apt-get install maven openjdk-17-jdk-headless" >&2; exit 1; }
	@echo "Building the backend of Apache Calcite (Maven fetches Calcite once) ..."
	@mvn --quiet --batch-mode --file engines/calcite/pom.xml package

.PHONY: tck-hazelcast
tck-hazelcast: $(READY) $(HAZELCAST)/backend.jar  ## run the kit on Hazelcast, two lines of each series (needs a JDK 17 and Maven)
	@$(BIN)/rowtime tck run --no-variants --lines 2 --backend cmd:engines/hazelcast/run \
	  --known engines/hazelcast/known.yaml $(LINES) engines/hazelcast/report.jsonl

$(HAZELCAST)/backend.jar: engines/hazelcast/pom.xml $(shell find engines/hazelcast/src -type f)
	@command -v mvn >/dev/null || { echo "make tck-hazelcast needs a JDK 17 and Maven; on Debian: apt-get install maven openjdk-17-jdk-headless" >&2; exit 1; }
	@echo "Building the backend of Hazelcast (Maven fetches Hazelcast once) ..."
	@mvn --quiet --batch-mode --file engines/hazelcast/pom.xml package

.PHONY: tck-clink
tck-clink: $(READY) build/engines/clink/.ready  ## run the kit on clink, a line of each series (needs the network once)
	@$(BIN)/rowtime tck run --no-variants --lines 1 --backend cmd:engines/clink/run \
	  --known engines/clink/known.yaml $(LINES) engines/clink/report.jsonl

build/engines/clink/.ready: engines/clink/requirements.txt
	@echo "Setting up clink in an environment of its own (once; a minute) ..."
	@$(PYTHON) -m venv build/engines/clink
	@build/engines/clink/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

.PHONY: tck-laminardb
tck-laminardb: $(READY) build/engines/laminardb/.ready  ## run the kit on LaminarDB, a line of each series (needs the network once)
	@$(BIN)/rowtime tck run --no-variants --lines 1 --backend cmd:engines/laminardb/run \
	  --known engines/laminardb/known.yaml $(LINES) engines/laminardb/report.jsonl

build/engines/laminardb/.ready: engines/laminardb/requirements.txt
	@echo "Setting up LaminarDB in an environment of its own (once; a minute) ..."
	@$(PYTHON) -m venv build/engines/laminardb
	@build/engines/laminardb/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

.PHONY: tck-chdb
tck-chdb: $(READY) build/engines/chdb/.ready  ## run the kit on chDB, which is ClickHouse as a library
	@$(BIN)/rowtime tck run --no-variants --backend engines.chdb.backend:ChdbBackend \
	  --known engines/chdb/known.yaml $(LINES) engines/chdb/report.jsonl

build/engines/chdb/.ready: engines/chdb/requirements.txt
	@echo "Setting up chDB in an environment of its own (once; a minute) ..."
	@$(PYTHON) -m venv build/engines/chdb
	@build/engines/chdb/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

test: $(READY)  ## run all tests, in two processes, each with its own Spark
	@$(TESTS)

.PHONY: release-check
release-check: $(READY)  ## test the wheel in clean environments, on Python 3.11 to 3.13: kit, tests, uvx, Spark (needs the network; half an hour)
	@$(BIN)/python -m pytest --quiet --durations 0 --durations-min 1 -m release tests/wheel

test-nightly: $(READY)  ## run all tests with thousands of generated examples, different ones each time: hours
	@$(TESTS) --hypothesis-profile nightly

# The executors get an archive with the Python packages that they need, except for PySpark, which Spark provides.  The
# driver uses the wheel, too, because functions are sent to the executors by the names of their modules.
.PHONY: test-cluster
test-cluster: $(READY)  ## run a pipeline on a standalone cluster, and kill a worker and the driver (needs a Java)
	@command -v java >/dev/null || \
	  { echo "make test-cluster needs a Java of version 17; on Debian: apt-get install openjdk-17-jre-headless" >&2; exit 1; }
	@echo "Packing the environment of the executors into $(CLUSTER) ..."
	@$(PYTHON) -m venv --clear $(CLUSTER)/environment
	@$(CLUSTER)/environment/bin/python -m pip install --quiet --disable-pip-version-check \
	  --constraint .ci/constraints.txt . numpy pandas pyarrow fsspec google-re2
	@$(PYTHON) -m venv --clear $(CLUSTER)/driver
	@$(CLUSTER)/driver/bin/python -m pip install --quiet --disable-pip-version-check --use-pep517 \
	  --constraint .ci/constraints.txt '.[spark]'
	@$(BIN)/venv-pack --quiet --force --prefix $(CLUSTER)/environment --output $(CLUSTER)/environment.tar.gz
	@$(BIN)/python -m pytest --quiet -m cluster tests/deployment

.PHONY: test-kafka
test-kafka: $(READY) $(KAFKA)/.ready  ## run pipelines from and to Kafka, and kill a broker and drivers (needs a Java and Maven)
	@$(BIN)/python -m pytest --quiet -m kafka tests/deployment

$(KAFKA)/.ready: $(wildcard tests/deployment/kafka/*.xml)
	@command -v mvn >/dev/null && command -v java >/dev/null || \
	  { echo "make test-kafka needs a Java of version 17 and Maven; on Debian: apt-get install maven" >&2; exit 1; }
	@echo "Fetching Kafka and Spark's connector to it into $(KAFKA) (once; a hundred megabytes) ..."
	@for each in broker connector; do mvn --quiet --batch-mode -Dstyle.color=never --file tests/deployment/kafka/$$each.xml \
	  dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=$(CURDIR)/$(KAFKA)/$$each || exit 1; done
	@touch $@

# The report shows failures, so exit status 1 does not end `make report`; any other status does.  Spark runs two lines of
# each series.
report: $(READY)  ## write the results of our backends, and of the last runs of other engines, as pages: build/report/index.html
	@mkdir -p $(REPORT)
	@$(BIN)/rowtime tck run --quiet --no-variants --backend reference \
	  --jsonl $(REPORT)/reference.jsonl >$(REPORT)/reference.txt || [ $$? -eq 1 ]
	@$(BIN)/rowtime tck run --quiet --processes 2 --lines 2 --backend spark --backend spark-stream \
	  --jsonl $(REPORT)/spark.jsonl >$(REPORT)/spark.txt || [ $$? -eq 1 ]
	@$(BIN)/rowtime tck report $(wildcard engines/*/report*.jsonl) $(REPORT)/reference.jsonl $(REPORT)/spark.jsonl \
	  --output $(REPORT)

.PHONY: axe
axe:  ## install axe, with which a test looks for barriers in the report's pages: build/axe
	@mkdir -p build/axe && cd build/axe && npm pack --silent axe-core@4.10.3 >/dev/null && tar xzf axe-core-4.10.3.tgz

.PHONY: site
site: $(READY) $(SITE)/.ready  ## build docs/ as static pages, with cases, timelines and the engines' report: build/site/html/index.html
	@rm -rf $(SITE)/html && mkdir -p $(SITE)/html
	@$(BIN)/rowtime tck report --output $(SITE)/html/report \
	  $(wildcard engines/*/report*.jsonl $(REPORT)/reference.jsonl $(REPORT)/spark.jsonl)
	@test ! -e $(PLAYGROUND)/index.html || cp -r $(PLAYGROUND) $(SITE)/html/playground
	@$(BIN)/python -m docs.website.build $(SITE)/source $(SITE)/html
	@PLAYGROUND=$(wildcard $(PLAYGROUND)/index.html) $(SITE)/venv/bin/sphinx-build --quiet --fail-on-warning --keep-going \
	  --doctree-dir $(SITE)/doctrees $(SITE)/source $(SITE)/html
	@$(BIN)/python -m docs.website.places $(SITE)/html
	@$(BIN)/python -m docs.website.links $(SITE)/html

.PHONY: test-site
test-site: site axe  ## search all pages of the site for barriers to readers, with axe in Chromium
	@$(BIN)/python -m pytest --quiet -m site tests/docs/website

$(SITE)/.ready: docs/website/requirements.txt
	@echo "Setting up $(SITE) (once; half a minute) ..."
	@$(PYTHON) -m venv $(SITE)/venv
	@$(SITE)/venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

differences: $(READY)  ## write the figures of README and docs/ about the last runs of engines (and of our backends, if `make report` was run)
	@$(BIN)/python -m engines.harness.pages $(wildcard $(REPORT)/reference.jsonl $(REPORT)/spark.jsonl)

docket: $(READY)  ## write docs/docket/: the questions on which engines differ, each with the ruling and the answers of the last runs
	@$(BIN)/python -m docs.docket.build

score: $(READY)  ## run hundreds of wrong backends, and count how many the corpus detects: twenty minutes
	@$(BIN)/rowtime tck score

score-again: $(READY)  ## run a tenth of the wrong backends, each on the cases that detected it the last time: a minute
	@$(BIN)/rowtime tck score --again --sample 0.1

.PHONY: core
core: $(READY)  ## choose the core of the cases again, after a change of the corpus or of the wrong backends: half a minute
	@$(BIN)/rowtime tck core --write

.PHONY: check
check: $(READY)  ## run after every change, two minutes: ruff, mypy, import-linter; tests and cases of the files that differ from main
	@$(BIN)/python -m tests.check

# None of these four programs needs another, so `make --jobs 2 lint` runs two of them at a time.
.PHONY: lint-style lint-mypy lint-pyright lint-imports
lint: lint-mypy lint-pyright lint-style lint-imports  ## run ruff, mypy, pyright, import-linter, and the prose check (CONTRIBUTING.md)

lint-style: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/python -m tests.prose

lint-mypy: $(READY)
	@$(BIN)/mypy

lint-pyright: $(READY)
	@$(BIN)/pyright

lint-imports: $(READY)
	@$(BIN)/lint-imports

# The programs that only these two commands need have a separate environment.
AUDIT := build/audit
.PHONY: pins audit
pins: $(READY) $(AUDIT)/.ready  ## write the hashes of the pinned packages and the page of their licences again (needs the network)
	@$(AUDIT)/bin/uv pip compile --quiet --no-deps --generate-hashes --universal --python-version 3.11 \
	  --no-annotate --no-header --output-file .ci/locked.txt .ci/constraints.txt
	@$(BIN)/python -m tests.dependencies_page

audit: $(READY) $(AUDIT)/.ready  ## check the code with bandit, and the pinned packages for known vulnerabilities (needs the network)
	@$(AUDIT)/bin/bandit --quiet --recursive --configfile pyproject.toml \
	  grammar algebra reference spark_backend tck rowtime engines
	@$(AUDIT)/bin/pip-audit --progress-spinner off --disable-pip --require-hashes --requirement .ci/locked.txt

$(AUDIT)/.ready: .ci/audit.txt
	@$(PYTHON) -m venv --clear $(AUDIT)
	@$(AUDIT)/bin/python -m pip install --quiet --disable-pip-version-check --requirement .ci/audit.txt
	@touch $@

.PHONY: faults
faults: $(READY)  ## test with full disks, kills, errors of each system call that writes, and a clock that jumps (needs strace and faketime)
	@command -v strace >/dev/null || { echo "make faults needs strace; on Debian: apt-get install strace faketime" >&2; exit 1; }
	@$(BIN)/python -m pytest --quiet -m faults tests/faults

.PHONY: growth
growth: $(READY)  ## measure how time and memory grow with length, width, keys, depth and producers, on the reference and on Spark: docs/growth*.svg
	@$(BIN)/python -m benchmarks.growth --svg docs/growth.svg
	@$(BIN)/python -m benchmarks.growth_spark --svg docs/growth-spark.svg

.PHONY: fuzz
MINUTES ?= 1
fuzz: $(READY)  ## send random bytes and changed texts to each of fifteen readers of input, MINUTES for each
	@$(BIN)/python -m tests.fuzz.run --minutes $(MINUTES)

lowest:  ## run the kit on the reference with the lowest versions that pyproject.toml allows (needs the network)
	@$(PYTHON) -m venv --clear build/lowest
	@build/lowest/bin/python -m pip install --quiet --disable-pip-version-check --constraint .ci/lowest.txt .
	@cd build && lowest/bin/rowtime tck run --quiet --backend reference

bench: $(READY)  ## run all benchmarks; they print medians and ratios: half an hour on a quiet machine
	@$(BIN)/python -m pytest benchmarks --quiet
	@$(BIN)/python -m benchmarks.test_spark
	@$(BIN)/python -m benchmarks.test_spark_frames
	@$(BIN)/python -m benchmarks.test_spark_stream
	@$(BIN)/python -m benchmarks.test_spark_stages --plots docs/benchmarks

nexmark: $(READY)  ## run Nexmark on both engines with 100,000 events: rows per second, and whether all answers agree
	@$(BIN)/python -m benchmarks.nexmark.run
	@$(BIN)/python -m benchmarks.nexmark.run --backend spark

flights: $(READY)  ## run four questions over a year of departures as a stream, and over the same rows in DuckDB
	@$(BIN)/python -m benchmarks.flights.run

grammar: $(READY)  ## generate the parser from the .g4 files again (needs Node)
	cd grammar && npx --yes antlr-ng@1.0.10 -D language=Python3 -l false -v false -o generated \
	  StreamingSqlLexer.g4 StreamingSqlParser.g4 && rm -f generated/*.interp generated/*.tokens
	$(BIN)/python -m grammar.fingerprint --write

demo: $(DEMO)/orders.csv  ## write the files of the README's example run

$(DEMO)/orders.csv: $(READY) benchmarks/make_orders.py
	@$(BIN)/python benchmarks/make_orders.py --rows 100000 --directory $(DEMO)

.PHONY: playground test-playground
playground: $(READY)  ## build the reference for a browser, as a folder of static files: build/playground (needs Node)
	@$(BIN)/python -m rowtime.playground.build build/playground

test-playground: playground  ## test the playground in the Chromium that is on the PATH
	@$(BIN)/python -m pytest --quiet -m playground tests/rowtime/playground

index: $(READY)  ## write docs/index.md again: each clause's definition, cases and tests
	@$(BIN)/python -m tests.rule_index

.PHONY: requirements
requirements: $(READY)  ## write, once per release, the list of the cases that the release requires: RELEASE=1.1
	@$(BIN)/python -m tests.release_requirements $(RELEASE)

TRACES := $(wildcard docs/traces/*.svg)

traces: $(READY)  ## draw the pictures of docs/traces.md again
	@for each in $(notdir $(TRACES:.svg=)); do \
	  $(BIN)/rowtime trace --case $$each --svg docs/traces/$$each.svg || exit 1; done

clean:  ## remove all files that were made, and the virtual environment
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks

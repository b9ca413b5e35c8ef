# Sourced by ./run and ./test: put a Python >= 3.11 that really starts into $python.
# Version managers leave commands behind that exist and fail, so every candidate is tried.
starts() {
    "$1" -c "import sys; sys.exit(sys.version_info < (3, 11))" >/dev/null 2>&1
}
makes_venv() {
    "$1" -c "import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))" >/dev/null 2>&1
}
python=
if starts ./.venv/bin/python; then
    python=./.venv/bin/python
else
    for test in makes_venv starts; do
        for candidate in "${PYTHON:-python3}" python3 python3.13 python3.12 python3.11 python3.14 python \
            /usr/bin/python3 /opt/homebrew/bin/python3 /usr/local/bin/python3; do
            if [ -z "$python" ] && $test "$candidate"; then python=$candidate; fi
        done
    done
fi
if [ -z "$python" ]; then
    echo "touchstone: no Python 3.11 or newer starts here: install one (Debian: apt-get install python3-venv)" \
        "or name it: PYTHON=/path/to/python3 $0" >&2
    exit 1
fi

"""Builds what pyproject.toml cannot say: the namespace mapping, the Cython extensions and the protobuf code.

Environment variables for developers:
  PYTHIA_CHECKED=1                     Cython's bounds checks and assertions on (slower, for tests)
  PYTHIA_SANITIZE=address,undefined    compile with these sanitizers of the C compiler
  PYTHIA_ANNOTATE=1                    write Cython's HTML annotation into build/cython/
  PYTHIA_BUILT=1                       the extensions are built in place already: install without compiling them again
  PYTHIA_ABI3=1                        Python's stable ABI: one wheel for CPython 3.11 and all that follow
"""

import os
import shlex
import shutil
import sysconfig
from pathlib import Path
from typing import ClassVar

from setuptools import Command, Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

# Every compiled module, by its import name. Explicit, because a glob that misses a file misses it silently;
# check_modules() compares the list with the .pyx files on disk, so neither can be forgotten.
MODULES = [
    "pythia.core_cy.delphi.evaluate",
    "pythia.core_cy.delphi.game",
    "pythia.core_cy.delphi.observe",
    "pythia.core_cy.delphi.policy",
    "pythia.core_cy.delphi.position",
    "pythia.core_cy.delphi.route",
    "pythia.core_cy.delphi.rules",
    "pythia.core_cy.delphi.tables",
    "pythia.core_cy.delphi.text",
    "pythia.core_cy.deukalion.evaluate",
    "pythia.core_cy.deukalion.game",
    "pythia.core_cy.deukalion.observe",
    "pythia.core_cy.deukalion.outlook",
    "pythia.core_cy.deukalion.policy",
    "pythia.core_cy.deukalion.position",
    "pythia.core_cy.deukalion.rules",
    "pythia.core_cy.deukalion.tables",
    "pythia.core_cy.deukalion.text",
    "pythia.core_cy.game",
    "pythia.core_cy.keltis.evaluate",
    "pythia.core_cy.keltis.game",
    "pythia.core_cy.keltis.observe",
    "pythia.core_cy.keltis.policy",
    "pythia.core_cy.keltis.position",
    "pythia.core_cy.keltis.rules",
    "pythia.core_cy.keltis.tables",
    "pythia.core_cy.keltis.text",
    "pythia.core_cy.micro.doors",
    "pythia.core_cy.micro.kuhn",
    "pythia.core_cy.offrandes.evaluate",
    "pythia.core_cy.offrandes.game",
    "pythia.core_cy.offrandes.observe",
    "pythia.core_cy.offrandes.policy",
    "pythia.core_cy.offrandes.position",
    "pythia.core_cy.offrandes.rules",
    "pythia.core_cy.offrandes.tables",
    "pythia.core_cy.offrandes.text",
    "pythia.core_cy.parts",
    "pythia.core_cy.recent",
    "pythia.core_cy.rng",
    "pythia.core_cy.testing",
    "pythia.search.playout",
    "pythia.search.tree",
]

# The folders that become packages below `pythia`, whose own folder holds nothing but the front door. It is not called
# pythia: Python started in the root of the repository would find it there before any installed package.
FRONT = "front"
FOLDERS = {
    "pythia.core_cy": "core_cy",
    "pythia.search": "search",
    "pythia.arena": "arena",
    "pythia.web": "web",
    "pythia.service": "service",
    "pythia.clients": "clients",
    "pythia.v1": "proto/pythia/v1",
}

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "nonecheck": False,
    "embedsignature": True,
    "binding": True,
}
# With the stable ABI, functions that know their signature are not called as built-in ones are; docstrings begin with
# the signature in both (embedsignature).
ABI3_DIRECTIVES = {"binding": False}
# No None checks: Cython cannot do them without the GIL, where most of the code runs.
CHECKED_DIRECTIVES = {"boundscheck": True, "initializedcheck": True}

# Warnings that Cython's own generated code triggers are off; those that concern ours stay on.
COMPILE_ARGS = ["-O3", "-std=gnu11", "-Wall", "-Wno-unused"]

SANITIZERS = ("address", "undefined")

# The oldest Python of abi3 wheels, as C code and as the name of a wheel have it: `requires-python` of pyproject.toml.
ABI3_MACRO = ("Py_LIMITED_API", "0x030B0000")
ABI3_TAG = "cp311"

NO_COMPILER = """\
Pythia's engine is compiled during installation, and {problem}.
Install a C compiler and Python's headers, then try again:
  Debian, Ubuntu:  apt-get install build-essential python3-dev
  Fedora:          dnf install gcc python3-devel
  macOS:           xcode-select --install"""


def source_of(module: str) -> str:
    """The .pyx file of a compiled module: pythia.core_cy.rng -> core_cy/rng.pyx."""
    folder, _, rest = module.removeprefix("pythia.").partition(".")
    return "/".join([FOLDERS[f"pythia.{folder}"], *rest.split(".")]) + ".pyx"


def check_modules() -> None:
    """Stop when MODULES and the .pyx files on disk differ."""
    on_disk = {path.as_posix() for folder in FOLDERS.values() for path in Path(folder).rglob("*.pyx")}
    listed = {source_of(module) for module in MODULES}
    problems = [f"{path} is on disk but not in MODULES" for path in sorted(on_disk - listed)]
    problems += [f"{path} is in MODULES but not on disk" for path in sorted(listed - on_disk)]
    if problems:
        raise SystemExit("setup.py: " + "; ".join(problems))


def check_compiler() -> None:
    """Stop with what to install when there is no C compiler or no Python.h."""
    command = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    header = Path(sysconfig.get_path("include"), "Python.h")
    if shutil.which(command) is None:
        raise SystemExit(NO_COMPILER.format(problem=f"the C compiler {command!r} was not found"))
    if not header.exists():
        raise SystemExit(NO_COMPILER.format(problem=f"Python's headers were not found ({header})"))


def link_namespace() -> None:
    """Link every folder, and the files of the front door, below build/ns/pythia.

    Cython and mypy find modules only through real folders.
    """
    namespace = Path("build/ns/pythia")
    namespace.mkdir(parents=True, exist_ok=True)
    front = {f"pythia.{path.name}": str(path) for path in sorted(Path(FRONT).iterdir()) if path.is_file()}
    for name, folder in (FOLDERS | front).items():
        link = namespace / name.removeprefix("pythia.")
        target = Path(os.path.relpath(folder, namespace))
        if not link.is_symlink() or link.readlink() != target:
            link.unlink(missing_ok=True)
            link.symlink_to(target)


def compile_protos() -> None:
    """Generate the _pb2 modules beside the .proto files, where they are missing or older."""
    root = Path("proto")
    sources = sorted(root.rglob("*.proto"))
    generated = [
        path.with_name(path.stem + end) for path in sources for end in ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py")
    ]
    newest = max(path.stat().st_mtime for path in sources)
    if all(path.exists() and path.stat().st_mtime >= newest for path in generated):
        return
    import grpc_tools
    from grpc_tools import protoc

    well_known = Path(grpc_tools.__file__).parent / "_proto"
    outputs = [f"--{kind}_out={root}" for kind in ("python", "pyi", "grpc_python")]
    arguments = ["protoc", f"-I{root}", f"-I{well_known}", *outputs, *map(str, sources)]
    if protoc.main(arguments) != 0:
        raise SystemExit("setup.py: protoc refused the .proto files; its messages are above")


def sanitizers() -> list[str]:
    names = [name for name in os.environ.get("PYTHIA_SANITIZE", "").split(",") if name]
    for name in names:
        if name not in SANITIZERS:
            raise SystemExit(f"PYTHIA_SANITIZE: {name!r} is not allowed; allowed: {', '.join(SANITIZERS)}")
    return names


class BuildProtos(Command):
    """Only the protobuf code."""

    description = "generate the Python code of the .proto files"
    user_options: ClassVar[list[tuple[str, str, str]]] = []

    def initialize_options(self) -> None:
        pass

    def finalize_options(self) -> None:
        pass

    def run(self) -> None:
        compile_protos()


class BuildPy(build_py):
    """Python modules, with the protobuf code generated first."""

    def run(self) -> None:
        compile_protos()
        super().run()


class BuildExt(build_ext):
    """Extensions, translated by Cython and compiled on all cores; only what changed is built again."""

    def finalize_options(self) -> None:
        super().finalize_options()
        if self.parallel is None:
            self.parallel = os.cpu_count()

    def run(self) -> None:
        check_compiler()
        link_namespace()
        self.translate()
        super().run()

    def translate(self) -> None:
        import Cython
        from Cython.Build import cythonize
        from Cython.Compiler.Errors import CompileError

        checked = os.environ.get("PYTHIA_CHECKED") == "1"
        directives = DIRECTIVES | (CHECKED_DIRECTIVES if checked else {}) | (ABI3_DIRECTIVES if abi3 else {})
        macros = ([] if checked else [("CYTHON_WITHOUT_ASSERTIONS", "1")]) + ([ABI3_MACRO] if abi3 else [])
        compile_args = list(COMPILE_ARGS)
        link_args = []
        if names := sanitizers():
            link_args = [f"-fsanitize={','.join(names)}"]
            compile_args += [*link_args, "-O1", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g"]

        # Each kind of build has its own C files, and a change of settings builds everything again.
        kind = (["checked"] if checked else []) + (["abi3"] if abi3 else []) + names
        folder = Path("build/cython", "-".join(kind) or "release")
        settings = repr((Cython.__version__, directives, macros, compile_args))
        settings_file = folder / "settings.txt"
        changed = not settings_file.exists() or settings_file.read_text() != settings
        try:
            translated = cythonize(
                [Extension(ext.name, list(ext.sources)) for ext in self.extensions],
                include_path=["build/ns"],
                build_dir=str(folder),
                compiler_directives=directives,
                annotate=os.environ.get("PYTHIA_ANNOTATE") == "1",
                force=changed,
            )
        except CompileError as error:
            raise SystemExit(f"setup.py: Cython refused {error}; its messages are above") from None
        if changed:
            settings_file.write_text(settings)

        sources = {ext.name: ext.sources for ext in translated}
        for ext in self.extensions:
            ext.sources = sources[ext.name]
            ext.depends = [str(settings_file)]
            ext.define_macros = macros
            ext.py_limited_api = abi3
            ext.extra_compile_args = compile_args
            ext.extra_link_args = link_args


def packages() -> list[str]:
    """Each folder of FOLDERS and the packages below it, by import name."""
    found = ["pythia"]
    for name, folder in FOLDERS.items():
        found += [name, *(f"{name}.{below}" for below in find_packages(folder))]
    return found


check_modules()
built = os.environ.get("PYTHIA_BUILT") == "1"
abi3 = os.environ.get("PYTHIA_ABI3") == "1"
setup(
    package_dir={"pythia": FRONT, **FOLDERS},
    packages=packages(),
    package_data={
        "": ["*.pxd", "*.pyi", "py.typed", "*.proto", "*.json", "*.yml"],
        "pythia.web": [f"static/**/*.{ending}" for ending in ("css", "html", "js", "svg", "txt")],
    },
    include_package_data=False,
    ext_modules=[] if built else [Extension(module, [source_of(module)]) for module in MODULES],
    options={"bdist_wheel": {"py_limited_api": ABI3_TAG}} if abi3 else {},
    cmdclass={"build_protos": BuildProtos, "build_py": BuildPy, "build_ext": BuildExt},
)

"""Builds the command with Go and puts it into the wheel.

The wheel has the tag py3-none-PLATFORM: the command is one static file, so that one wheel serves
every release of Python on a platform. GOOS and GOARCH choose another platform. Where there is no Go,
or no source of the command beside this folder, the wheel has no command and serves any platform;
the package then takes the one that the variable BIGMKL names, or the one on PATH.
"""

import os
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # Before setuptools 70.1 it is part of wheel.
    from wheel.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parent.parent

# The platforms of wheels by GOOS and GOARCH. A static binary needs no C library, and runs with
# either of Linux.
PLATFORMS = {
    ("linux", "amd64"): "manylinux2014_x86_64.musllinux_1_1_x86_64",
    ("linux", "arm64"): "manylinux2014_aarch64.musllinux_1_1_aarch64",
    ("darwin", "amd64"): "macosx_12_0_x86_64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
    ("windows", "amd64"): "win_amd64",
    ("windows", "arm64"): "win_arm64",
}


def target():
    """Return GOOS and GOARCH of the command, or None if it cannot be built here."""
    if shutil.which("go") is None or not (ROOT / "cmd" / "bigmkl").is_dir():
        return None
    found = subprocess.run(["go", "env", "GOOS", "GOARCH"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split()
    return tuple(found)


def output_of(*command):
    """Return what a command prints in the root of the sources, or None if it fails or is not there."""
    try:
        return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def stamp(version):
    """Return the flags of the linker that tell the command its version and commit.

    Go finds the commit by itself in some clones and not in others: not in a work tree, nor where
    -buildvcs=false is set. Sources without a history give the version alone.
    """
    package = f"{output_of('go', 'list', '-m')}/cmd/bigmkl/command"
    told = {"builtVersion": version}
    # A folder of sources within another repository is not a commit of that one.
    if output_of("git", "rev-parse", "--show-prefix") == "":
        told["builtCommit"] = output_of("git", "rev-parse", "HEAD")
        told["builtModified"] = "true" if output_of("git", "status", "--porcelain", "-uno") else "false"
    return " ".join(["-s -w", *(f"-X {package}.{name}={value}" for name, value in told.items() if value)])


class BuildCommand(build_py):
    """Builds the command beside the modules of the package."""

    def run(self):
        super().run()
        if getattr(self, "editable_mode", False):
            return
        if (ROOT / "LICENSE").is_file():
            shutil.copy(ROOT / "LICENSE", Path(self.build_lib) / "bigmkl")
        folder = Path(self.build_lib) / "bigmkl" / "bin"
        # What an earlier build has left may be of another platform.
        shutil.rmtree(folder, ignore_errors=True)
        platform = target()
        if platform is None:
            print("no Go, or no source of the command: the package is built without it")
            return
        folder.mkdir(parents=True)
        out = folder / ("bigmkl.exe" if platform[0] == "windows" else "bigmkl")
        subprocess.run(["go", "build", "-trimpath", "-ldflags=" + stamp(self.distribution.get_version()), "-o",
                        str(out.resolve()), "./cmd/bigmkl"], cwd=ROOT, check=True,
                       env={**os.environ, "CGO_ENABLED": "0"})
        add_notices(out.resolve(), folder.parent / "NOTICES")


def add_notices(program, file):
    """Write the terms of the modules that the command contains.

    Where they are not found, as with a Go without its licence, the wheel is good for this computer, and not to be passed on.
    """
    here = {name: value for name, value in os.environ.items() if name not in ("GOOS", "GOARCH")}
    done = subprocess.run(["go", "run", "./internal/release", "notices", str(program)], cwd=ROOT, env=here, check=False,
                          capture_output=True)
    if done.returncode == 0:
        file.write_bytes(done.stdout)
    else:
        print("the terms of what the command contains were not found:", done.stderr.decode(errors="replace").strip())


class PlatformWheel(bdist_wheel):
    """Gives the wheel the tag of the command's platform."""

    def get_tag(self):
        platform = target()
        if platform is None:
            return "py3", "none", "any"
        try:
            return "py3", "none", PLATFORMS[platform]
        except KeyError:
            raise SystemExit(f"no wheels for {platform[0]} on {platform[1]}") from None


class PlatformDistribution(Distribution):
    """Makes the modules and the command files of one platform, which lie at the root of the wheel."""

    def has_ext_modules(self):
        return target() is not None


setup(distclass=PlatformDistribution, cmdclass={"build_py": BuildCommand, "bdist_wheel": PlatformWheel})

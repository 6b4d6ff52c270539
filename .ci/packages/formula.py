"""The formula for Homebrew. On macOS it builds the sources; on Linux it takes the program of the archive."""
import hashlib

LINUX = {"x86_64": "on_intel", "aarch64": "on_arm"}


def formula(version, folder, address):
    """The formula for the archives of a folder, which are downloaded from an address.

    Without an address, the archives must be beside the formula.
    """
    def archive(name, indent):
        place = address or "file://#{File.dirname(File.expand_path(__FILE__))}"
        digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        return f'{indent}url "{place}/{name}"\n{indent}sha256 "{digest}"'

    machines = [(block, name) for machine, block in LINUX.items()
                if (folder / (name := f"idx-flow-{version}-linux-{machine}.tar.gz")).exists()]
    linux = "\n".join(f"    {block} do\n{archive(name, ' ' * 6)}\n    end" for block, name in machines)
    homepage = f'  homepage "{address.split("/releases/")[0]}"\n' if address else ""
    return f"""\
class IdxFlow < Formula
  desc "Sign in to Okta's Identity Engine without a browser"
{homepage}  version "{version}"

  on_macos do
{archive(f"idx-flow-{version}-source.tar.gz", " " * 4)}
    depends_on xcode: ["16.0", :build]
    depends_on macos: :sonoma
  end

  on_linux do
{linux}
  end

  def install
    if OS.mac?
      system "swift", "build", "--disable-sandbox", "--disable-local-rpath", "-c", "release", "--product", "idx-flow"
      bin.install ".build/release/idx-flow"
      (man1/"idx-flow.1").write Utils.safe_popen_read(bin/"idx-flow", "man")
      generate_completions_from_executable(bin/"idx-flow", "completion", shells: [:bash, :zsh, :fish])
    else
      bin.install "bin/idx-flow"
      man1.install "share/man/man1/idx-flow.1.gz"
      bash_completion.install "share/bash-completion/completions/idx-flow"
      zsh_completion.install "share/zsh/site-functions/_idx-flow"
      fish_completion.install "share/fish/vendor_completions.d/idx-flow.fish"
    end
  end

  def caveats
    "idx-flow uses libcurl and the certificate authorities of the system." if OS.linux?
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/idx-flow --version")
  end
end
""".encode()

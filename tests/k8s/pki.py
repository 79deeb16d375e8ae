# SPDX-License-Identifier: GPL-2.0-only
"""The certificates of a cluster, made by openssl."""
import subprocess


class Authority:
    """Keys and certificates as files in a folder: NAME.key, NAME.crt."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                      "-days", "2",
                      "-subj", "/CN=pyperf-test", "-keyout", self.key("ca"), "-out", self.crt("ca"))

    def key(self, name):
        return folder_path(self.folder, name + ".key")

    def crt(self, name):
        return folder_path(self.folder, name + ".crt")

    @staticmethod
    def _openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def issue(self, name, subject, alternatives=""):
        """subject: "/O=...//CN=..."; alternatives: "DNS:a,IP:127.0.0.1" for servers."""
        request, extensions = self.folder / (name + ".csr"), self.folder / (name + ".ext")
        extensions.write_text("subjectAltName=%s\n" % alternatives if alternatives else "\n")
        self._openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                      "-subj",
                      subject, "-keyout", self.key(name), "-out", request)
        self._openssl("x509", "-req", "-in", request, "-CA", self.crt("ca"), "-CAkey", self.key("ca"),
                      "-CAcreateserial", "-days", "2", "-extfile", extensions, "-out", self.crt(name))

    def key_pair(self, name):
        """For service accounts: NAME.key and NAME.pub."""
        self._openssl("genrsa", "-out", self.key(name), "2048")
        self._openssl("rsa", "-in", self.key(name), "-pubout", "-out", self.folder / (name + ".pub"))


def folder_path(folder, name):
    return str(folder / name)

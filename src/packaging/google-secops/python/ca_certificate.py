"""The certificate of a private certificate authority (CA), as a parameter of the platform holds it."""

import base64
import os
import re

from plugin_process import RunError

INVALID = (
    "CA Certificate File - parsed into Base64 String does not hold a certificate. Encode the file with the certificate"
    " of your CA (PEM or DER) in Base64, and enter the result."
)
NOT_WRITTEN = (
    "The certificate of your CA could not be written to a temporary file, from which Node.js reads it. Nothing was run."
    " Make room for it, or allow this script to write there:"
)


def trust(given):
    """Makes the plugin trust the given certificates, besides those that it trusts anyway, and returns their file.

    given: a file in PEM or DER, encoded in Base64, or the text of a PEM file. The file is there until it is closed.
    """
    import ssl
    import tempfile

    certificates = certificates_in(given)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=certificates)
    except (ssl.SSLError, ValueError) as error:
        raise RunError(INVALID) from error
    try:
        file = tempfile.NamedTemporaryFile("w", prefix="attack-path-ca-", suffix=".pem")
        file.write("\n".join([certificates, *trusted_already()]))
        file.flush()
    except OSError as error:
        raise RunError(f"{NOT_WRITTEN} {error.strerror or error}.") from error
    os.environ["NODE_EXTRA_CA_CERTS"] = file.name
    return file


def certificates_in(given):
    """The certificates as PEM, and nothing else of the file: it may hold a private key."""
    if "-----BEGIN" in given:
        content = given.encode()
    else:
        try:
            content = base64.b64decode("".join(given.split()), validate=True)
        except ValueError as error:
            raise RunError(INVALID) from error
    if b"-----BEGIN" not in content:
        from ssl import DER_cert_to_PEM_cert

        return DER_cert_to_PEM_cert(content)
    text = content.decode("ascii", "replace")
    return "\n".join(re.findall(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", text, re.DOTALL))


def trusted_already():
    """What NODE_EXTRA_CA_CERTS holds."""
    try:
        with open(os.environ.get("NODE_EXTRA_CA_CERTS", ""), encoding="ascii", errors="ignore") as file:
            return [file.read()]
    except OSError:
        return []

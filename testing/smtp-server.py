# An SMTP server: smtp-server.py none|starttls|tls CERTIFICATE KEY
# Prints its port, and a line of JSON for each mail. User lookout, password right.
# Refuses names without a dot in EHLO and HELO, unknown@ for good, busy@ for now, and once@ and later@ at their first mail.
import asyncio
import email
import email.policy
import json
import logging
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

security, certificate, key = sys.argv[1:]


refused = set()


class Handler:
    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        if "." not in hostname and not hostname.startswith("["):
            return [f"504 5.5.2 <{hostname}>: Helo command rejected: need fully-qualified hostname"]
        session.host_name = hostname
        return responses

    async def handle_HELO(self, server, session, envelope, hostname):
        return f"504 5.5.2 <{hostname}>: Helo command rejected: need fully-qualified hostname"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("unknown@"):
            return "550 no such user"
        if address.startswith(("once@", "later@")) and address not in refused:
            refused.add(address)
            return "552-5.2.2 The mailbox\r\n552 5.2.2 is full" if address.startswith("once@") else "450 try later"
        if address.startswith("busy@"):
            return "452 mailbox busy"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        parts = {"headers": [[name, str(value)] for name, value in message.items()], "type": message.get_content_type()}
        parts |= {"text": message.get_content(), "to": envelope.rcpt_tos, "from": envelope.mail_from, "helo": session.host_name, "isTls": session.ssl is not None or security == "tls"}
        print(json.dumps(parts), flush=True)
        return "250 accepted"


def authenticate(server, session, envelope, mechanism, data):
    return AuthResult(success=data.login == b"lookout" and data.password == b"right", handled=False)


async def serve():
    context = None
    if security != "none":
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate, key)

    def session():
        return SMTP(
            Handler(),
            hostname="mail.test",
            enable_SMTPUTF8=True,
            tls_context=context if security == "starttls" else None,
            require_starttls=security == "starttls",
            authenticator=authenticate,
            auth_required=security != "none",
            auth_require_tls=security == "starttls",
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(session, "127.0.0.1", 0, ssl=context if security == "tls" else None)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


logging.disable(logging.WARNING)
asyncio.run(serve())

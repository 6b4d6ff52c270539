"""Signs in with Okta's client for Python, in the Python environment that has it, and uses the tokens.

Usage: sign_in_with_okta_client.py ISSUER CLIENT REDIRECT
It prints an address for a browser, and reads the one that follows.
"""
import asyncio
import sys

from okta_client.authfoundation import ClientIdAuthorization, OAuth2Client, OAuth2ClientConfiguration
from okta_client.oauth2auth import AuthorizationCodeFlow


async def main(issuer, client_id, redirect):
    client = OAuth2Client(configuration=OAuth2ClientConfiguration(
        issuer=issuer, redirect_uri=redirect, scope="openid profile email offline_access",
        client_authorization=ClientIdAuthorization(id=client_id)))
    flow = AuthorizationCodeFlow(client=client)
    print(await flow.start(), flush=True)
    token = await client.refresh(await flow.resume(sys.stdin.readline().strip()))
    assert (await client.userinfo(token)).claims["email"] == "ada@example.com"
    for is_active in [True, False]:
        assert (await client.introspect(token.access_token)).claims["active"] == is_active
        await client.revoke(token.access_token)


asyncio.run(main(*sys.argv[1:]))

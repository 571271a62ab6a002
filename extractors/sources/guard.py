"""Connections to public addresses only, whatever a name, a redirect or a clever number resolves to.

The name is resolved, the answer checked, and the connection made to that very answer: a name that changes its mind
between check and use gains nothing. Every redirect opens its connection here too.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Iterable

import httpcore

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# Networks that carry an IPv4 address within them (NAT64, 6to4, Teredo, IPv4-compatible) or lead to a translator:
# Python calls several of them global, yet a packet to 64:ff9b::7f00:1 may end at 127.0.0.1.
_TUNNELS = tuple(
    ipaddress.ip_network(network)
    for network in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96", "192.88.99.0/24")
)


class PrivateAddressError(Exception):
    """The host has no public address."""


def is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return is_public(address.ipv4_mapped)
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address.version == network.version and address in network for network in _TUNNELS)
    )


class GuardedNetwork(httpcore.AsyncNetworkBackend):
    """Resolve, require a public address, connect to it. httpcore still checks the certificate against the name."""

    def __init__(self, allow_private: bool) -> None:
        self._allow_private = allow_private
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [str(answer[4][0]) for answer in answers]
        usable = [a for a in addresses if self._allow_private or is_public(ipaddress.ip_address(a))]
        if not usable:
            raise PrivateAddressError(f"private-address: {host} is not on the public internet")
        failure: Exception = httpcore.ConnectError("no address")
        for address in usable[:3]:
            try:
                return await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

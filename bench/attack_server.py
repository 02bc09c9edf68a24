"""The other side of bench/attack.sh: servers that misbehave, and clients that flood. Loopback only; prints `at URL` when it listens."""

import http.client
import json
import socket
import sys
import threading
import time

ESCAPES = json.dumps({"code": "\x1b]0;owned\x07", "message": "\x1b[2J\x1b[1;1HPASSED\r\n\x9b31m\u202e"}, ensure_ascii=False)
CONFORMING = json.dumps({"code": 0, "message": "OK", "transId": "AB12-CD34-EF56", "redirect": "https://pay.example/AB12-CD34-EF56"})


def listen(backlog=1024):
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(backlog)
    print(f"at http://127.0.0.1:{server.getsockname()[1]}", flush=True)
    return server


def mute():
    server, held = listen(), []
    while True:
        held.append(server.accept())


def full():
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(1)
    held = []
    while True:
        client = socket.socket()
        client.settimeout(0.5)
        try:
            client.connect(server.getsockname())
        except OSError:
            break
        held.append(client)
    print(f"at http://127.0.0.1:{server.getsockname()[1]}", flush=True)
    time.sleep(3600)


def request(client):
    heard = b""
    while b"\r\n\r\n" not in heard:
        part = client.recv(65536)
        if not part:
            return heard
        heard += part
    head, _, body = heard.partition(b"\r\n\r\n")
    length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        part = client.recv(65536)
        if not part:
            break
        body += part
    return heard


def respond(client, parts):
    try:
        while heard := request(client):
            print("heard", heard.split(b"\r\n")[0].decode("latin-1"), flush=True)
            if heard.startswith(b"CONNECT "):
                client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                continue
            length = sum(len(part) * times for part, times in parts)
            client.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % length)
            for part, times in parts:
                for _ in range(times):
                    client.sendall(part)
    except OSError:
        pass
    finally:
        client.close()


def serve(parts):
    server = listen()
    while True:
        client, _ = server.accept()
        threading.Thread(target=respond, args=(client, parts), daemon=True).start()


def port():
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    print(server.getsockname()[1])


def push(to, times):
    """Posts bodies of 200 kB and of 4 MB, and expects to be refused or taken, never to be left waiting."""
    deadline = time.monotonic() + 30
    done = 0
    while done < times and time.monotonic() < deadline:
        body = b"x" * (4_000_000 if done % 2 else 200_000)
        try:
            with socket.create_connection(("127.0.0.1", to), timeout=10) as client:
                client.sendall(b"POST /push HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body))
                try:
                    client.sendall(body)
                except OSError:
                    pass
                client.recv(100)
            done += 1
        except OSError:
            # It does not listen yet, or not any more.
            if done > 0:
                break
            time.sleep(0.05)
    return 0 if done > 0 else 1


def address(base):
    host, _, number = base.removeprefix("http://").strip("/").partition(":")
    return host, int(number)


def health(base, within):
    began = time.monotonic()
    with socket.create_connection(address(base), timeout=within) as client:
        client.sendall(b"GET /__emulator/health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        status = client.recv(100).split(b" ")[1:2]
    return status == [b"200"] and time.monotonic() - began < within


def stalled(base, times):
    held = []
    for _ in range(times):
        client = socket.socket()
        client.settimeout(5)
        try:
            client.connect(address(base))
            client.sendall(b"GET / HTTP")
        except OSError:
            break
        held.append(client)
    return held


def idle(base, times):
    held = stalled(base, times)
    return 0 if len(held) == times and health(base, 5) else 1


def exhaust(base, times):
    held = stalled(base, times)
    for client in held:
        client.close()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            if health(base, 5):
                return 0
        except OSError:
            pass
        time.sleep(0.1)
    return 1


def ask(client, method, path, body=None, media="application/json"):
    client.request(method, path, body, {"content-type": media} if body else {})
    response = client.getresponse()
    return response.status, response.read()


def worlds(base, times):
    """Opens worlds until it is refused; the emulator serves on, and a closed world makes room."""
    client = http.client.HTTPConnection(*address(base), timeout=30)
    path = "/__emulator/worlds"
    for number in range(times):
        status, _ = ask(client, "POST", path, json.dumps({"name": f"w{number}"}))
        if status >= 300:
            closed, _ = ask(client, "DELETE", f"{path}/w0")
            again, _ = ask(client, "POST", path, json.dumps({"name": "again"}))
            print(f"world {number} is refused with {status}", flush=True)
            return 0 if closed < 300 and again < 300 and health(base, 5) else 1
    return 1


def create(base, count, failed):
    """Creates payments on one connection, a hundred requests on their way at a time."""
    form = b"test=true&country=CZ&price=10000&curr=CZK&label=Ball&refId=r&method=ALL&email=payer%40example.com&fullName=Jan&prepareOnly=true"
    form += b"&merchant=100001&secret=secret-100001"
    one = b"POST /v1.0/create HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: %d\r\n\r\n" % len(form)
    try:
        with socket.create_connection(address(base), timeout=30) as client:
            while count > 0 and not failed:
                batch = min(count, 100)
                client.sendall((one + form) * batch)
                heard = b""
                while (created := heard.count(b"\r\n\r\ncode=0&")) < batch:
                    part = client.recv(1 << 20)
                    heard += part
                    if not part:
                        failed.append(heard[-300:])
                        return
                count -= created
    except OSError as error:
        failed.append(error)


def payments(base, times):
    """Creates very many payments on eight connections, and lists them while another client asks for the health."""
    failed, statuses = [], []
    creators = [threading.Thread(target=create, args=(base, times // 8, failed)) for _ in range(8)]
    [thread.start() for thread in creators]
    [thread.join() for thread in creators]
    client = http.client.HTTPConnection(*address(base), timeout=60)
    listing = threading.Thread(target=lambda: statuses.append(ask(client, "GET", "/__emulator/worlds/default/payments")[0]))
    listing.start()
    slowest = 0.0
    while listing.is_alive() or slowest == 0.0:
        began = time.monotonic()
        if not health(base, 3):
            failed.append("the health call")
            break
        slowest = max(slowest, time.monotonic() - began)
    listing.join()
    print(f"the health call took {slowest * 1000:.0f} ms at most while {times} payments were listed; failed: {failed[:1]}", flush=True)
    return 0 if statuses == [200] and not failed else 1


def main(what, *words):
    if what == "mute":
        mute()
    elif what == "full":
        full()
    elif what == "escapes":
        serve([(ESCAPES.encode(), 1)])
    elif what == "conforming":
        serve([(CONFORMING.encode(), 1)])
    elif what == "violations":
        serve([(b'{"code":0,"message":"OK","cart":[', 1), (b'{"name":1},', 350_000), (b"1]}", 1)])
    elif what == "port":
        port()
    elif what == "push":
        sys.exit(push(int(words[0]), int(words[1])))
    elif what == "idle":
        sys.exit(idle(words[0], int(words[1])))
    elif what == "worlds":
        sys.exit(worlds(words[0], int(words[1])))
    elif what == "payments":
        sys.exit(payments(words[0], int(words[1])))
    elif what == "exhaust":
        sys.exit(exhaust(words[0], int(words[1])))


main(*sys.argv[1:])

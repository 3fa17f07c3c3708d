import { node, perl, type Attempt } from "./attempt.ts";

const RAW = (family: number) => `
$! = 0; my $made = socket(my $s, ${family}, 3, 0);
print $made ? "ESCAPED a socket of family ${family}\\n" : "HELD $!\\n";`;

/** Every way from a program to the servers of this machine, Silas's own among them. */
export const NETWORK_ATTEMPTS: readonly Attempt[] = [
  {
    name: "connect to a server on 127.0.0.1",
    command: ({ port }) => node(`reaches({ host: "127.0.0.1", port: env.PORT })`, { PORT: String(port) }),
  },
  {
    name: "connect to a server on ::1",
    command: ({ port6, port }) => node(`reaches({ host: "::1", port: env.PORT })`, { PORT: String(port6 ?? port) }),
  },
  {
    name: "connect to 0.0.0.0, which means this machine too",
    command: ({ port }) => node(`reaches({ host: "0.0.0.0", port: env.PORT })`, { PORT: String(port) }),
  },
  {
    name: "connect to an IPv4 address in IPv6 clothes",
    command: ({ port }) => node(`reaches({ host: "::ffff:127.0.0.1", port: env.PORT })`, { PORT: String(port) }),
  },
  {
    name: "connect to localhost by name",
    command: ({ port }) => node(`reaches({ host: "localhost", port: env.PORT })`, { PORT: String(port) }),
  },
  {
    name: "send a datagram to 127.0.0.1",
    command: ({ udpPort }) =>
      node(
        `const s = require("dgram").createSocket("udp4");
         s.send("x", Number(env.PORT), "127.0.0.1", (e) => e ? held(e.code) : setTimeout(() => held("sent nowhere"), 200));`,
        { PORT: String(udpPort) },
      ),
  },
  {
    name: "connect to a socket file of this machine",
    command: ({ socketPath }) => node(`reaches({ path: env.TO })`, { TO: socketPath }),
  },
  {
    name: "connect to an abstract socket",
    command: ({ abstractName }) => node(`reaches({ path: "\\0" + env.TO })`, { TO: abstractName }),
  },
  {
    name: "find sockets of a session bus, a display or an agent",
    command: () =>
      node(`const found = [];
        const look = (folder, depth) => { for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
          const path = folder + "/" + entry.name;
          if (entry.isSocket()) found.push(path); else if (entry.isDirectory() && depth > 0) try { look(path, depth - 1); } catch {}
        } };
        for (const place of ["/run", "/var/run", "/tmp", "/dev"]) try { look(place, 5); } catch {}
        const named = Object.keys(env).filter((name) => /DBUS|SSH_|DISPLAY|XDG/.test(name));
        found.length + named.length === 0 ? held("none there") : escaped([...found, ...named].join(" "));`),
  },
  {
    name: "see a network interface that leads somewhere",
    command: () =>
      node(`const names = fs.readdirSync("/proc/net/dev_snmp6", { throwIfNoEntry: false }) ?? [];
        const lines = fs.readFileSync("/proc/net/dev", "utf8").split("\\n").slice(2).map((l) => l.trim().split(":")[0]).filter(Boolean);
        lines.every((name) => name === "lo") ? held(lines.join()) : escaped([...names, ...lines].join());`),
  },
  {
    name: "find a route in the tables of the kernel",
    command: () =>
      node(`const routes = fs.readFileSync("/proc/net/route", "utf8").trim().split("\\n").slice(1);
        routes.length === 0 ? held("no route") : escaped(routes.join());`),
  },
  { name: "open a raw packet socket", needs: "/usr/bin/perl", command: () => perl(RAW(17)) },
  { name: "open a virtual socket to the machine below", needs: "/usr/bin/perl", command: () => perl(RAW(40)) },
  { name: "open a socket into the kernel's own ciphers", needs: "/usr/bin/perl", command: () => perl(RAW(38)) },
];

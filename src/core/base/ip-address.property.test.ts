import { BlockList, isIPv4, isIPv6 } from "node:net";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isPublicAddress, parseIpAddress } from "./ip-address.ts";

const closed = new BlockList();
for (const range of [
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24",
  "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4",
].flatMap((line) => line.split(" "))) {
  const [start = "", bits = ""] = range.split("/");
  closed.addSubnet(start, Number(bits), "ipv4");
}

test("an address of version 4 is open exactly where no special range holds it, as another reader of ranges says", () => {
  const edge = fc.constantFrom(0, 9, 10, 11, 63, 64, 100, 127, 128, 169, 172, 16, 31, 32, 191, 192, 168, 198, 223, 254);
  const byte = fc.oneof(fc.nat({ max: 255 }), edge);
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte, byte), (bytes) => {
      const text = bytes.join(".");
      expect(parseIpAddress(text)).toEqual({ family: 4, bytes });
      expect(isPublicAddress({ family: 4, bytes })).toBe(!closed.check(text, "ipv4"));
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["255.0.0.255", true],
  ["256.0.0.1", false],
  ["1.2.3.256", false],
  ["1:2:3:4:5:6:7::", true],
  ["1:2:3:4:5:6:7:8", true],
  ["1:2:3:4:5:6:7::8", false],
  ["::", true],
  ["1::2::3", false],
])("%s is an address: %s", (text, isAddress) => {
  expect(parseIpAddress(text) !== null).toBe(isAddress);
});

test("whatever Node calls an address is read to the same bytes, and nothing else is", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV6(), fc.ipV4(), fc.string(), fc.stringMatching(/^[0-9a-fx.:%]{1,20}$/)), (text) => {
      const read = parseIpAddress(text);
      // A zone names a link of this machine, and no other.
      const isAddress = isIPv4(text) || (isIPv6(text) && !text.includes("%"));
      expect(read !== null).toBe(isAddress);
      expect(read?.bytes.length ?? 0).toBe(isAddress ? (isIPv4(text) ? 4 : 16) : 0);
    }),
    { numRuns: 2000 },
  );
});

const publicly = (text: string): boolean => {
  const address = parseIpAddress(text);
  return address !== null && isPublicAddress(address);
};

test.each(["2606:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888", "8.8.8.8", "93.184.215.14"])(
  "%s is of the open internet",
  (text) => expect(publicly(text)).toBe(true),
);

test.each([
  ..."127.0.0.1 0.0.0.0 10.1.2.3 172.31.255.255 192.168.1.1 169.254.169.254 100.100.100.200 255.255.255.255".split(" "),
  ...":: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1 ::127.0.0.1 fe80::1 fec0::1 fc00::1 fd00:ec2::254".split(
    " ",
  ),
  ..."ff02::1 64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1:: 2001::1 2001:db8::1 100::1 3fff::1 5f00::1".split(" "),
])("%s is not of the open internet", (text) => {
  expect(parseIpAddress(text)).not.toBeNull();
  expect(publicly(text)).toBe(false);
});

test.each(["2130706433", "0x7f.0.0.1", "0177.0.0.1", "127.1", "1.2.3.4.", "fe80::1%lo", "::1::", "1:2:3", "[::1]", ""])(
  "%j is no address at all",
  (text) => expect(parseIpAddress(text)).toBeNull(),
);

import { perl, shell, type Attempt } from "./attempt.ts";

/** Numbers of x64 and arm64; null where a processor does not have the call. `MODE` stands for the mode that is tried. */
type ModeCall = readonly [name: string, x64: number, arm64: number | null, args: string];

const CREATE = "0101";
const TMPFILE = "020200002";
const HERE = "-100";

const MODE_CALLS: readonly ModeCall[] = [
  ["chmod", 90, null, `"own", MODE`],
  ["fchmod", 91, 52, `fileno($own), MODE`],
  ["fchmodat", 268, 53, `${HERE}, "own", MODE`],
  ["fchmodat2", 452, 452, `${HERE}, "own", MODE, 0`],
  ["open", 2, null, `"new", ${CREATE}, MODE`],
  ["open without a name", 2, null, `".", ${TMPFILE}, MODE`],
  ["openat", 257, 56, `${HERE}, "new", ${CREATE}, MODE`],
  ["openat without a name", 257, 56, `${HERE}, ".", ${TMPFILE}, MODE`],
  ["openat2", 437, 437, `${HERE}, "new", pack("QQQ", ${CREATE}, MODE, 0), 24`],
  ["creat", 85, null, `"new", MODE`],
  ["mkdir", 83, null, `"new", MODE`],
  ["mkdirat", 258, 34, `${HERE}, "new", MODE`],
  ["mknod", 133, null, `"new", 0100000 | MODE, 0`],
  ["mknodat", 259, 33, `${HERE}, "new", 0100000 | MODE, 0`],
];

const XATTR_CALLS: readonly ModeCall[] = [
  ["setxattr", 188, 5, `"own", "user.silas", "x", 1, 0`],
  ["lsetxattr", 189, 6, `"own", "user.silas", "x", 1, 0`],
  ["fsetxattr", 190, 7, `fileno($own), "user.silas", "x", 1, 0`],
  ["setxattrat", 463, 463, `${HERE}, "own", 0, "user.silas", pack("QII", unpack("Q", pack("P", "x")), 1, 0), 16`],
];

/** Not permitted, no such call, not supported: the filter said no. Anything else proves nothing. */
const SAID_NO = [1, 38, 95];

const calling = (what: string, [, x64, arm64, args]: ModeCall): Attempt => ({
  name: what,
  needs: "/usr/bin/perl",
  command: () =>
    perl(
      `unlink "new"; rmdir "new"; open(my $own, ">", "own") or die; my @args = (${args}); $! = 0;
       my $answer = syscall(${process.arch === "x64" ? x64 : arm64}, @args);
       print $answer != -1 ? "ESCAPED $answer\\n" : (grep { $_ == $!+0 } (${SAID_NO.join()})) ? "HELD $!\\n" : "UNSURE $!\\n";`,
    ),
});

const ofThisProcessor = ([, , arm64]: ModeCall): boolean => process.arch === "x64" || arm64 !== null;

/** Ways to leave a file that runs with the rights of its owner or group, whoever starts it. */
export const MODE_ATTEMPTS: readonly Attempt[] = [
  ...MODE_CALLS.filter(ofThisProcessor).flatMap((call) =>
    [
      ["owner", "04755"],
      ["group", "02755"],
    ].map(([whose, mode]) =>
      calling(`make a file that runs as its ${whose} by ${call[0]}`, [
        call[0],
        call[1],
        call[2],
        call[3].replace("MODE", mode ?? ""),
      ]),
    ),
  ),
  ...XATTR_CALLS.filter(ofThisProcessor).map((call) =>
    calling(`attach to a file what nobody sees, by ${call[0]}`, call),
  ),
  {
    name: "leave a program that runs as its owner in a granted folder",
    grants: ({ granted }) => ({ writePaths: [{ path: granted, as: "/granted" }] }),
    command: () =>
      shell(`cd /granted && cat /bin/true > own && chmod 755 own || exit
        chmod 4755 own 2>/dev/null; chmod g+s own . 2>/dev/null
        for path in own .; do { test -u $path || test -g $path; } && echo ESCAPED $path; done
        rm -f own; echo HELD`),
  },
];

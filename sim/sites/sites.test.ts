import { describe, expect, test } from "vitest";
import { err, sha256Hex } from "#base";
import type { Signer } from "#ports";
import { answerTo } from "../approval-world.ts";
import {
  damage,
  DAMAGES,
  inFile,
  lastSeq,
  toldSince,
  tokensOf,
  usesOf,
  type Damage,
  type Told,
} from "./file.fixture.ts";
import { inSites, type SiteScene } from "./scene.fixture.ts";
import { limitsChanged, WORK_SITES } from "./work-sites.fixture.ts";

/** How each site says in the chain that it did not begin. */
const REFUSALS = new Set(["execution_blocked_no_approval", "goal_asked", "goal_cycle_ended", "approval_refused"]);
const isRefusal = ({ event, data }: Told): boolean =>
  REFUSALS.has(event) || (event === "run_ended" && data["status"] === "blocked");

type Signing = { readonly bytes: Uint8Array; readonly use: Parameters<Signer["sign"]>[1] };
const signing =
  (change: (text: string) => string) =>
  (signer: Signer, { bytes, use }: Signing) =>
    signer.sign(new TextEncoder().encode(change(new TextDecoder().decode(bytes))), use);

/** What the owner's key may have signed in place of what was minted. */
const LIES = {
  "by nobody": async () => err({ code: "vault_locked", retryable: false, missing: "key_file" } as const),
  "for another content": signing((text) => text.replace(/"plan_hash":"\w+"/, `"plan_hash":"${sha256Hex("another")}"`)),
  "for another site": signing((text) => text.replace(/"scope":"\w+"/, '"scope":"tool_type"')),
  "for another use": signing((text) => text.replace(/"nonce":"\w{8}/, '"nonce":"00000000')),
} satisfies Record<string, (signer: Signer, signing: Signing) => ReturnType<Signer["sign"]>>;

const rowsIn = ({ file }: SiteScene): readonly number[] =>
  inFile(file, (database) =>
    ["approval_tokens", "approval_uses", "attempt_lineages", "decision_tokens"].map((table) =>
      Number(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"]),
    ),
  );

describe.each(WORK_SITES.map((site) => [site.name, site] as const))("%s", (_name, site) => {
  test("[APPR-23] is done once, on an approval that is used exactly once end to end", () =>
    inSites(async (scene) => {
      const { request, granted: grantedBy } = await site.ask(scene);
      expect(tokensOf(scene.file, request.requestId)).toEqual([]);
      expect(await scene.trust.approvals.decide(answerTo(request, "approved"))).toMatchObject({ ok: true });
      const granted = await grantedBy();
      expect(usesOf(scene.file, granted.tokenId)).toEqual(granted.use === "now" ? [1, 1] : [0, 0]);
      // The second time everything is asked to go on, nothing does.
      for (let time = 1; time <= 2; time += 1) {
        await granted.goOn();
        expect(await granted.done()).toBe(1);
        expect(usesOf(scene.file, granted.tokenId)).toEqual([1, 1]);
      }
      for (const tokenId of tokensOf(scene.file, request.requestId))
        expect(Math.max(...usesOf(scene.file, tokenId))).toBeLessThanOrEqual(1);
    }));

  test.each(Object.entries(LIES))(
    "[APPR-23] signed %s the answer is refused and recorded: no approval, no use, and nothing is done",
    async (_how, lie) => {
      const lying = { isOn: false };
      const through = (signer: Signer): Signer => ({
        ...signer,
        sign: (bytes, use) => (lying.isOn ? lie(signer, { bytes, use }) : signer.sign(bytes, use)),
      });
      await inSites(async (scene) => {
        const { request } = await site.ask(scene);
        const [rows, did, seq] = [rowsIn(scene), scene.did.length, lastSeq(scene.file)];
        lying.isOn = true;
        expect(await scene.trust.approvals.decide(answerTo(request, "approved"))).toMatchObject({ ok: false });
        await scene.work.start();
        expect([rowsIn(scene), scene.did.length]).toEqual([rows, did]);
        expect(await limitsChanged(scene)).toBe(0);
        const told = toldSince(scene.file, seq).filter(({ event }) => event === "approval_refused");
        expect(told).toMatchObject([{ data: { request_id: request.requestId } }]);
        // Nothing but the signature stood in the way.
        lying.isOn = false;
        expect(await scene.trust.approvals.decide(answerTo(request, "approved"))).toMatchObject({ ok: true });
      }, through);
    },
  );

  test.each(site.between === "nothing" ? [] : DAMAGES)(
    "[APPR-23] an approval that is %s begins nothing, spends nothing, and that is recorded",
    (how: Damage) =>
      inSites(async (scene) => {
        const { request, granted: grantedBy } = await site.ask(scene);
        expect(await scene.trust.approvals.decide(answerTo(request, "approved"))).toMatchObject({ ok: true });
        const granted = await grantedBy();
        await damage(scene.file, { tokenId: granted.tokenId, how });
        const [before, seq] = [usesOf(scene.file, granted.tokenId), lastSeq(scene.file)];
        await granted.goOn();
        expect(await granted.done()).toBe(0);
        expect(usesOf(scene.file, granted.tokenId)).toEqual(before);
        const refusals = toldSince(scene.file, seq).filter(isRefusal).length;
        const isTried = how !== "taken away" || site.whenTaken !== "nobody_tries";
        expect(refusals > 0).toBe(isTried);
        // Also what was taken away whole is still told of.
        expect(before[1]).toBe(granted.use === "now" ? 1 : 0);
      }),
  );
});

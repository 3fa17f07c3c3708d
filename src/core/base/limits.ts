/**
 * Every limit of the product that is not configuration, each with its reason.
 * A loop, queue, text or wait without a limit here is a bug.
 */
export const LIMITS = {
  /** A title is one line a person reads at a glance; longer text belongs in notes. */
  titleChars: 500,
  /** A note or description: a long essay fits, a pasted log file does not (and would slow every search). */
  textChars: 100_000,
  /** Names of categories, labels and devices appear in chips and menus. */
  nameChars: 80,
  /** Ids are UUIDs or derived names such as `plan-2026-11-15`; the margin is for ids of imported records. */
  idChars: 128,
  /** More labels than this on one task cannot be shown and slow the list. */
  labelsPerTask: 50,
  /** One bulk command stays well under a frame, a transaction of milliseconds and a readable undo. */
  recordsPerCommand: 500,
  /** Blocks of a day: one every five minutes. */
  blocksPerDay: 288,
  /** Pinned tasks of a day; beyond this nothing is pinned. */
  pinsPerDay: 100,
  /** An estimate above a thousand hours is a typing error. */
  estimateMinutes: 60_000,
  /** One page of any list; the next page is asked for with a cursor. */
  pageRows: 500,
  /** Search shows the best hits; nobody pages beyond these. */
  searchRows: 200,
  /** Records that fit a part of an id: enough to show that it is ambiguous, and which they are. */
  foundRows: 10,
  /** Terms of one search query; more do not narrow the result. */
  searchTerms: 16,
  /** Request and frame bodies other than import: the largest command (500 long items) fits. */
  bodyBytes: 1_048_576,
  /** One imported or exported line: the largest record (text 100,000 characters, escaped) fits. */
  importLineBytes: 2_097_152,
  /** Nesting of any JSON or YAML document read from outside. */
  documentDepth: 64,
  /** Canonical text of one value: far above any record, far below the longest string the engine can hold. */
  canonicalChars: 134_217_728,
  /** One file given to `silas canonical`; read whole, since sorting needs the whole object. */
  canonicalInputBytes: 67_108_864,
  /** Tries of one commit when another write changed a record between read and commit. */
  commitTriesMax: 5,
  /** How long a one-time enrolment code may wait to be opened. */
  enrolmentTtlMs: 600_000,
  /** How long a socket may stay open without authenticating (WEB-04). */
  socketAuthMs: 5_000,
  /** Codes that wait to be opened; more than this are forgotten oldest first, so asking for links cannot fill memory. */
  enrolmentCodesMax: 20,
  /** Wrong or right, an address may try this many enrolment codes a minute; a person needs one. */
  enrolmentTriesPerMinute: 10,
  /** Requests of one session a minute: a page asks about fifteen times when it is opened, and may be opened often. */
  requestsPerMinute: 1_200,
  /** Addresses and scopes a rate limiter remembers; beyond this the oldest window is forgotten. */
  rateKeysMax: 10_000,
  /** Headers must arrive within this time, so that a trickling client cannot hold a connection. */
  requestHeadersMs: 10_000,
  /** A JSON body must be complete within this time; an import may pause at most this long between two chunks. */
  requestBodyMs: 15_000,
  /**
   * A connection stays open this long between two requests. Whoever sends into one that is closed in that moment is told
   * of a fault, so this is longer than a busy machine stands still.
   */
  connectionIdleMs: 75_000,
  /** Open TCP connections; one browser uses six. */
  connectionsMax: 512,
  /** Of these, the ones that have shown no token: the others are for whoever has one. The longest silent gives way. */
  strangersMax: 256,
  /** A request without a token must be whole within this time: its headers, and the slowest body that is read. */
  strangerRequestMs: 25_000,
  /** One import as sent; long notes fill it before `importRecords` does. */
  importBytes: 536_870_912,
  /** Records of one import: they are held in memory, about four kilobytes each, until they are written together. */
  importRecords: 250_000,
  /** One client frame. Clients send tokens, pings and later short messages; data goes over HTTP. */
  socketFrameBytes: 65_536,
  /** Bytes a slow socket may leave unread before it is closed; it loads afresh when it comes back. */
  socketBufferBytes: 1_048_576,
  /** Frames of one socket that wait for an earlier one. */
  socketFramesWaiting: 64,
  /** Open sockets: every tab of every device of one owner. */
  socketsMax: 128,
  /** A socket that does not answer a ping within this time is gone. */
  socketPingMs: 30_000,
  /** How long a socket that was told to close may take to agree. */
  socketCloseMs: 1_500,
  /** One secret: a key, a token or a certificate with its chain. */
  secretBytes: 16_384,
  /** The body that brings one secret: every character of it escaped, and the braces around it. */
  secretBodyBytes: 98_368,
  /** Secrets that are asked for at once; nobody has more of them at hand. */
  secretsAsked: 100,
  /** How long Silas waits for a secret it asked for: until the owner is back tomorrow. */
  secretAskedMs: 86_400_000,
  /** Cards that are open in a chat at once; the next ones come when these are decided. */
  telegramCards: 5,
  /** Accounts that wrote to the bot without being the owner's, each noted once; a flood of them ends here. */
  telegramStrangers: 200,
  /** One call of the Bot API: the longest message, every character of it escaped, with its buttons. */
  telegramCallBytes: 65_536,
  /** One answer of the Bot API: fifty updates of the longest text, with everything around it. */
  telegramAnswerBytes: 8_388_608,
  /** However long Telegram asks to wait, it is tried again after this. */
  telegramWaitMs: 900_000,
  /** Secrets of one vault; the encrypted file is rewritten whole for each change. */
  vaultSecrets: 1_000,
  /** Batches one listener of the change feed may leave unread; beyond this it is told to load afresh. */
  feedBatchesWaiting: 1_000,
  /** Replies that are written at once and kept for a page that opens meanwhile; the oldest is dropped for another. */
  turnsInFlight: 16,
  /** The newest entries of the audit chain stand without a checkpoint for at most this long. */
  auditCheckpointMinutes: 10,
  /** Refused sign-ins of this long are one entry of the audit chain, so that a flood of them cannot fill the disk. */
  auditRefusalWindowMs: 600_000,
  /** Memory of the thread that verifies a whole chain: entries pass through it, what was noted beside them stays. */
  auditVerifyMb: 512,
  /** How long that thread may take: for two hundred million entries, where a million take three seconds. */
  auditVerifyMs: 600_000,
  /** One plan file: its body and front matter at their longest, in the widest encoding, fit. */
  planBytes: 1_048_576,
  /** Front matter of a plan: every field at a usual length takes a tenth; the YAML reader's time grows with it. */
  planFrontMatterChars: 65_536,
  /** The briefing of a plan, which a person reads before signing it: forty pages. */
  planBodyChars: 100_000,
  /** Checks, gates, escalations or access levels of one plan; a card with more would not be read. */
  planParts: 50,
  /** Steps of one plan; more is a script. */
  planSteps: 100,
  /** Files of one batch: each is a step of its own, and a card with more would not be read. */
  batchMoves: 85,
  /** Places among which one file is chosen a way: more are a list, not a question. */
  batchChoices: 5,
  /** Files that a goal remembers having asked about; the oldest are forgotten, and may be asked about again. */
  goalItemsKept: 10_000,
  /** Folders that one batch makes or removes. */
  batchFolders: 10,
  /** All paths of one batch together: they travel as one text to the sandbox that checks them. */
  batchPathsChars: 40_000,
  /** Files one look at a folder takes up; the others wait for the next. */
  batchCandidates: 1_000,
  /** How long an approval to take a batch back outlives the approval of the batch: the run, and the longest window. */
  undoLaterMs: 7_200_000,
  /** Runs of plans at the same time; the others wait. Each has a sandbox and its own processes. */
  runsAtOnce: 8,
  /** The same for all scopes together. */
  runsInTotal: 16,
  /** Texts of plans that are held as read while they wait for their turn: a thousand usual ones fit. */
  plansInLineChars: 16_777_216,
  /** One question to a model as it leaves: the largest context that is configured in practice fits. */
  modelQuestionBytes: 4_194_304,
  /** One answer of a model with everything around it; more is a fault of whoever answers. */
  modelAnswerBytes: 4_194_304,
  /** Of the body of a refusal: enough for its reason. It is searched, never kept or shown. */
  modelRefusalBytes: 16_384,
  /** The text of one answer: the longest plan, escaped, and a message beside it. */
  modelAnswerChars: 1_500_000,
  /** How long a place that Silas asks may take to be reached; how long it may take to answer is a limit of its own. */
  placeConnectMs: 10_000,
  /** Characters that one token stands for at least, in what is estimated: rather too many tokens than too few. */
  tokenChars: 3,
  /** Calls that a model may choose in one attempt: more is a model that does not come to an end. */
  modelCalls: 50,
  /** What one answer of a model that works may come to: what is longer is not kept whole, and so is no answer. */
  modelAnswerTokens: 4_096,
  /** With less left of a budget a model could not even end. */
  modelAnswerTokensMin: 200,
  /** What a model is shown of one call, and of one result: enough to go on with, and many of them fit. */
  modelResultChars: 6_000,
  /** Attempts that fail before anybody is asked for advice: until then trying again is the cheaper way. */
  attemptsBeforeAdvice: 3,
  /** How long a run waits for advice; then it goes on without. */
  adviceWaitMs: 90_000,
  /** What is kept of advice: it stands in every question of the next attempt. */
  adviceChars: 4_000,
  /** Messages of the conversation that one turn looks back on at most. */
  turnMessages: 50,
  /** Characters of an unfinished answer that are held back: as long as anything a shipped output gate looks for. */
  gateWindowChars: 256,
  /** Conversations with a model that are held at once; those of one scope never are. */
  turnsAtOnce: 4,
  /** Runs whose results one turn is shown. */
  turnRuns: 5,
  /** Messages leased at once: one commit for all of them, and none of them waits long for it. */
  leaseBatch: 64,
  /** Messages a process remembers having added: several batches, so that a reader that keeps up parses none of them. */
  recentMessages: 512,
  /** Messages one reader holds at the same time. A run holds its message until it is over, also while it waits for a decision. */
  leasesHeld: 10_000,
  /** Times of a schedule that are counted or made up for after a pause; beyond this their first and last are enough. */
  duesCounted: 500,
  /** Goals that are checked at the same time; the others wait their turn. */
  goalsAtOnce: 4,
  /** Goals of one owner; more could not be looked after by a person. */
  goalsMax: 500,
  /** How long the timer sleeps at most: a clock that was set or a machine that slept is noticed after that. */
  schedulerSleepMs: 60_000,
  /** Timers whose owners act at the same time; a goal counts until its checks have run. */
  timersAtOnce: 64,
  /** How often decisions are counted: limits change over weeks, and a proposal may wait a quarter of an hour. */
  autonomyBeatMinutes: 15,
  /** Suggestions that are looked at before another is made: what waits, what was said lately and what is not wanted. */
  suggestionsRead: 1_000,
  /** Cycles of a goal that are kept although all was well in them; the audit log has every one. */
  goalCyclesKept: 200,
  /** Cycles a goal shows. */
  goalCyclesShown: 50,
  /** Runs in one list: what is older is in Activity. */
  runsListed: 100,
  /** Interruptions of one attempt by a crash before it counts as failed: the third is hardly chance. */
  stepInterruptions: 3,
  /** Skills, tools, children, predecessors or artifacts that one plan names. */
  planNames: 100,
  /** Files of one skill: schemas and fonts of public ones come to about a hundred; far more is a program. */
  skillFiles: 400,
  /** Bytes of one skill, all its files together: fonts fit, and they are read and copied for every attempt that uses it. */
  skillBytes: 16_777_216,
  /** Folders inside folders of a skill. */
  skillDepth: 6,
  /** SKILL.md and the code of a skill together, which a person reads before signing them: as much as the largest public one. */
  skillTextChars: 400_000,
  /** Files with code of one skill; each is parsed and shown, and tried if a step can run it. */
  skillScripts: 64,
  /** What a skill says of itself, at its longest. */
  skillDescriptionChars: 1_024,
  /** What is found in one skill; whoever finds more starts over. */
  skillFindings: 100,
  /** How long a script of a skill may take when it is tried, or parsed, also on a machine that is busy with others. */
  skillTrialMs: 60_000,
  /** Problems named in one plan; whoever has more starts over, and finding the place of each costs time. */
  planProblems: 100,
  /** Prose in a plan besides its body: messages, instructions, expected output. */
  planTextChars: 4_000,
  /** One command line; anything longer is a script. */
  commandChars: 4_000,
  /** Words of one command line. */
  commandWords: 256,
  /** A pattern a person can still check by eye. */
  patternChars: 1_000,
  /** The largest count in a pattern; engines that run in linear time take no more. */
  patternRepeats: 1_000,
  /** Requests that wait for a decision; more would be tapped through, not read. */
  pendingDecisions: 200,
  /** Plan texts in the cache of parsed plans: all that may wait for a decision, in about four megabytes. */
  keptProjectionsChars: 500_000,
  /** How long minted tokens wait for the signatures of a page: a passkey prompt and a phone that fell asleep fit. */
  mintedTtlMs: 300_000,
  /** Approvals that wait for a page's signatures at once; beyond this the oldest is forgotten and minted again. */
  mintedApprovals: 256,
  /** Approvals and passkey answers one device may try a minute: nobody reads faster, and each that fails is recorded. */
  signingTriesPerMinute: 120,
  /** How long a browser may take from the challenge to its confirmation at the terminal. */
  deviceKeyTtlMs: 600_000,
  /** Browser keys that wait to be confirmed; an owner sets up one device at a time. */
  deviceKeysWaiting: 20,
  /** Keys whose enrolment was checked once and is remembered; an owner has a few devices. */
  vouchedKeys: 256,
  /** Public keys that are kept in the form that signatures are checked with; a few are in use at a time. */
  importedKeys: 64,
  /** Wrong confirmation codes in a row before nothing waits any more: guessing six digits needs far more. */
  deviceCodeTries: 5,
  /** Missed requests a queue shows; older ones are in the list of all. */
  missedRows: 100,
  /** Decided requests a queue shows. */
  decidedRows: 10,
  /** Ways to answer one question: more are not read, they are searched. */
  askOptions: 12,
  /** A draft that a person reads and edits on a card; with every character escaped it still fits under a signature. */
  draftChars: 20_000,
  /** Tokens of one card: a project with all the children a plan may name, and its own. */
  mintedTokens: 101,
  /** Passkeys of one browser: a few security keys and what the system itself offers. */
  passkeysPerDevice: 8,
  /** Questions to a passkey that wait for an answer, over all sessions; the oldest gives way. */
  passkeyChallenges: 256,
  /** How long a question to a passkey waits: two tries of a browser's own time. */
  passkeyChallengeMs: 300_000,
  /** Attachments or quotes of one message; a person who has more sends several. */
  messageSources: 20,
  /** Connections whose access is remembered; beyond this the one that was quiet longest starts over as a stranger. */
  connectionsKnown: 10_000,
  /** One customer record; it is given to a model whole. */
  customerBytes: 65_536,
  /** Lines of failed checks in a task that repairs: enough to see what failed, far below a body. */
  spawnLines: 500,
  /** A relative path. */
  pathChars: 1_024,
  /** Text one gate looks at: the largest body that comes in. Longer text is blocked, not cut. */
  gateTextChars: 1_048_576,
  /** Text one scan for passwords and keys reads: the largest body that comes in. Longer text is refused. */
  secretScanChars: 1_048_576,
  /** Steps a pattern may take over a text, program size times characters: about half a second at the slowest. */
  gatePatternSteps: 20_000_000,
  /** How long a gate may take to answer before its silence blocks. */
  gateTimeoutMs: 5_000,
  /** How long the program of a script gate may run; then it is ended, and has not passed. [SCRIPT-03] */
  scriptGateMs: 30_000,
  /** Lines of a program's output that are read as values. */
  gateValueLines: 1_000,
  /** Keys one gate may try to rewrite; three exist. */
  gateRewriteKeys: 32,
  /** What a gate says about its verdict: two lines. */
  gateReasonChars: 200,
  /** A memory is a few sentences that are given to a turn whole; a document is a file. */
  memoryChars: 4_000,
  /** Tags of one memory, and other memories it names. */
  memoryTags: 20,
} as const;

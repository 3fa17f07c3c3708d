/**
 * model: the shared words of Silas, each with its parser.
 *
 * Decides nothing but shape: what a record, a command, a query, a frame and a setting look like at the border.
 * May import `#base` and `zod/mini` only. The page, every channel and every store speak in these values.
 * Invariants: unknown in, branded out; extra fields are refused; agent-domain records (the journal) are camelCase on
 * the wire, runtime frames are snake_case; ids never contain `|` (TOKEN-02, BATCHID-03).
 */
export { acceptorOf, type Acceptor } from "./audit/acceptor.ts";
export { signatureFromBase64, signatureFromHex, signatureToBase64, signatureToHex } from "./approval/signature.ts";
export type {
  DecisionsSummary,
  DeviceAnswer,
  DeviceDecisionRefusal,
  DeviceKeyRefusal,
  DeviceKeyState,
  DeviceOffer,
  DeviceSignatures,
  Fatigue,
  PreparedApproval,
  WaitingDevice,
} from "./approval/device-decisions.ts";
export { deviceCode, deviceProofText } from "./approval/device-statements.ts";
export {
  beginDeviceKeySchema,
  confirmDeviceSchema,
  mintRequestSchema,
  offerDeviceKeySchema,
  signRequestSchema,
  type DecisionRowBody,
  type DecisionsSummaryBody,
  type DeviceChallengeBody,
  type DeviceKeyBody,
  type DeviceWaitingBody,
  type MintedBody,
  type MintRequestBody,
  type OfferDeviceKeyBody,
  type ShownRequestBody,
  type SignRequestBody,
  type UnsignedTokenBody,
  type WaitingDeviceBody,
} from "./approval/page-wire.ts";
export { type PasskeyAssertion, type PasskeyChallenge, type PasskeyRefusal } from "./approval/passkey-wire.ts";
export {
  addPasskeySchema,
  askPasskeySchema,
  beginPasskeySchema,
  passkeyChallenge,
  passkeyIdOf,
  passkeyToWire,
  removePasskeySchema,
  type Passkey,
  type PasskeyAskedBody,
  type PasskeyAttestation,
  type PasskeyBody,
  type PasskeyId,
  type PasskeyKeepRefusal,
  type PasskeyOptions,
  type PasskeyPurpose,
} from "./passkey/passkeys.ts";
export type { PasskeyError } from "./passkey/words.ts";
export { tokenIdOf, tokenSigningBytes } from "./approval/signature.ts";
export {
  APPROVAL_SCOPES,
  APPROVAL_VERDICTS,
  approvalTokenSchema,
  approvalTokenToWire,
  RECEIPT_FORMAT,
  receiptSchema,
  receiptToWire,
  standingConditionsOf,
  unsignedTokenSchema,
  unsignedTokenToWire,
  type ApprovalCheck,
  type ApprovalDecision,
  type ApprovalRefusal,
  type ApprovalScope,
  type ApprovalToken,
  type ApprovalUse,
  type DecisionRefusal,
  type PendingDecision,
  type Receipt,
  type ReceiptKey,
  type UnsignedToken,
} from "./approvals.ts";
export {
  activityQuerySchema,
  chainQuerySchema,
  auditActorSchema,
  auditDataSchemas,
  type ActivityItem,
  type ActivityPage,
  type Acting,
  type AuditActor,
  type AuditBreak,
  type AuditCheckpoint,
  type AuditDataOf,
  type AuditDraft,
  type AuditEntry,
  type AuditHead,
  type AuditQuery,
  type AuditRow,
  type AuditVerdict,
  type ChainBody,
} from "./audit.ts";
export { activitySentence, auditBreakWords } from "./audit-words.ts";
export { reasonWords } from "./audit/reason-words.ts";
export {
  headStatement,
  renderHeadBody,
  type AuditHeadKey,
  type AuditHeadStatement,
  type HeadKey,
  type KeptHead,
  type SignedHead,
} from "./audit/heads.ts";
export {
  acceptHoldSchema,
  acceptStatement,
  HOLD_CHOICE,
  HOLD_MEANING,
  holdSentence,
  keptAct,
  VOIDED_ACT,
  type AcceptHoldBody,
  type Hold,
  type HoldBody,
  type HoldReason,
  type HoldRefusal,
} from "./audit/hold.ts";
export type { EnrolledKey, EnrolmentFacts } from "./audit/enrolment.ts";
export type { AuditMark, AuditRules, ChainBroken, ChainCheckEnded, HeadKeyNeeded } from "./audit/rules.ts";
export { captureToCommand, parseCapture, type Captured, type Chip } from "./capture.ts";
export {
  batchActionItemSchema,
  batchAfter,
  batchDecisionSchema,
  batchProposalSchema,
  projectBatch,
  type BatchProjection,
  type BatchProposal,
  type SelectionRefusal,
} from "./approval/batch.ts";
export {
  batchBytes,
  CHOOSE_MOVE,
  MOVE_FILES,
  narrowBatch,
  readChoice,
  readMoveFiles,
  reverseMoves,
  type FileMove,
  type MoveFiles,
  type MoveFilesRefused,
} from "./batch/move-files.ts";
export {
  isAsApproved,
  ITEM_OUTCOMES,
  OUTCOME_WORDS,
  selectItemsSchema,
  undoRunSchema,
  undoSchema,
  undoToWire,
  type ItemOutcome,
  type UndoBody,
  type UndoRefusal,
  type UndoView,
} from "./batch/undo.ts";
export {
  autonomyViewFromWire,
  autonomyViewToWire,
  checkAutonomySchema,
  tightenSchema,
  type AutonomyRefused,
  type AutonomyView,
  type AutonomyViewBody,
  type EvidenceView,
  type EvidenceWindow,
  type LimitView,
} from "./autonomy/autonomy-wire.ts";
export {
  ACTION_FAMILIES,
  FAMILY_WORDS,
  familyOf,
  LIMIT_WORDS,
  LIMITS_OF_FAMILY,
  OUTCOMES,
  type ActionFamily,
  type DecidedAction,
  type Outcome,
} from "./autonomy/families.ts";
export {
  daysOf,
  directionOf,
  effectiveLimits,
  LIMIT_KEYS,
  limitFault,
  NO_END,
  onlyTightens,
  rollbackOf,
  valueAfter,
  type AppliedLimit,
  type Direction,
  type LimitBounds,
  type LimitChange,
  type LimitKey,
  type LimitRefused,
  type LimitValues,
} from "./autonomy/limits.ts";
export type { FolderFault, TidyRefused } from "./batch/tidy-words.ts";
export { grantsOf, grantsOfRead, readAsked, type Grant } from "./approval/grants.ts";
export {
  isPayloadKind,
  kindsOfScope,
  parsePayload,
  payloadProjection,
  payloadSays,
  payloadSchema,
  readPayload,
  SCOPE_OF_KIND,
  type Payload,
  type PayloadBody,
  type PayloadKind,
  type PayloadRefused,
  type ShownPayload,
  type ReadPayload,
} from "./approval/payload.ts";
export {
  answerFault,
  ASKING_KINDS,
  isAskingKind,
  replyOf,
  verdictOf,
  type OwnerReply,
  type StepReply,
} from "./ask/answers.ts";
export { isAnswerable } from "./ask/question-shapes.ts";
export {
  projectionRows,
  CARD_INTENT_CHARS,
  cardSchema,
  cardToWire,
  CTA_ROLES,
  FRICTIONS,
  REQUEST_KINDS,
  RISK_LEVELS,
  termsWords,
  type Card,
  type CardBody,
  type CardCapabilities,
  type CardCheck,
  type CardRow,
  type Cta,
  type Friction,
  type RequestKind,
  type RiskLevel,
} from "./cards.ts";
export {
  TOKEN_CLASSES,
  type ChangeToken,
  type ChangeUnit,
  type NotificationBatch,
  type TokenClass,
} from "./changes.ts";
export { toCamel, toSnake } from "./approval/record-codec.ts";
export {
  flag,
  group,
  key,
  many,
  nullable,
  oneOf,
  required,
  SECRET_SHOWN,
  SECRET_UNSET_SHOWN,
  secretText,
  whole,
  type ConfigGroup,
  type ConfigKey,
  type ConfigNode,
  type ConfigOf,
  type SecretText,
} from "./config-nodes.ts";
export { readRecord, type KeyPath, type WireRecord } from "./read-record.ts";
export { jsonSchemaOf } from "./talk/json-schema.ts";
export { configRows, envNameOf, type ConfigRow } from "./config-rows.ts";
export {
  checkConfigRules,
  DATA_DIR_MARKERS,
  isLoopbackHost,
  type ConfigFacts,
  type ConfigRuleCode,
  type FolderUse,
} from "./config-rules.ts";
export { CONFIG_SCHEMA, type Config } from "./config-schema.ts";
export {
  OWNER_LEVEL,
  PUBLIC_LEVEL,
  type Access,
  type AccessLadder,
  type AccessState,
  type CustomerContext,
} from "./message/access.ts";
export { channelOf, ON_TELEGRAM, supportsSecureInput, TELEGRAM_SESSION } from "./message/channels.ts";
export {
  endorseMessageSchema,
  keptMessageFromWire,
  keptMessageToWire,
  messagesQuerySchema,
  ownWordsSchema,
  refusedClaim,
  sentMessageSchema,
  type Acknowledged,
  type AcknowledgedBody,
  withheld,
  type Channel,
  type Endorsing,
  type KeptMessage,
  type KeptMessageBody,
  type MessageClaim,
  type MessageQuery,
  type MessageRefusal,
  type Origin,
  type OwnWords,
  type Reception,
  type ScrubKind,
  type SentMessage,
  type Settlement,
} from "./message/message.ts";
export { messageNonceKey, type NonceAnswer, type NonceSpending } from "./message/nonce.ts";
export { messageSigningText } from "./message/statement.ts";
export { TAINTS, type Source, type Taint } from "./message/taint.ts";
export { authorWords, decidedWords } from "./decision-words.ts";
export {
  countWaiting,
  decideRequestSchema,
  keptRequestFromWire,
  keptRequestToWire,
  proposePayloadSchema,
  proposePlanSchema,
  requestSchema,
  type DecisionDigest,
  type DecisionRow,
  type DigestLimits,
  type KeptRequestBody,
  type KeptApproval,
  type KeptRequest,
  type RequestRefusal,
  type SpendRefusal,
  type StoredToken,
} from "./decisions.ts";
export {
  GATE_TRIGGERS,
  gateResultSchema,
  gateResultToWire,
  type GateAction,
  type GateCode,
  type GateContext,
  type GateFiring,
  type GateLane,
  type GateOutcome,
  type GateResult,
  type GateTrigger,
  type ToolArgs,
} from "./gate/gate-records.ts";
export type { GateNote } from "./gate/gate-audit.ts";
export { gateSchemas, PII_KINDS } from "./gate/gate-settings.ts";
export { gateProblemWords, type GateProblem, type GateProblemCode } from "./gate/gate-problems.ts";
export {
  journalCommandSchema,
  journalRequestSchema,
  type CommandOf,
  type JournalCommand,
  type JournalCommandKind,
  type JournalOutcome,
  type JournalRequest,
} from "./journal-commands.ts";
export type { InvalidInput, JournalError, StoreFault } from "./journal-errors.ts";
export {
  journalQuerySchema,
  TASK_VIEWS,
  type AnswerOf,
  type ChangeRow,
  type DayView,
  type FoundRecord,
  type JournalAnswers,
  type JournalQuery,
  type OperationRow,
  type Page,
  type SearchHit,
  type TaskDetail,
  type TaskRow,
  type TaskView,
  type TimelineRow,
} from "./journal-queries.ts";
export {
  bodySchemas,
  dayPlanId,
  journalRecordSchema,
  LINK_RELATIONS,
  ORDER_KEY_CHARS,
  parentIdOf,
  RATING_TARGETS,
  ratingId,
  REPEAT_UNITS,
  TASK_STATUSES,
  type BodyOf,
  type JournalRecord,
  type RecordKind,
  type RecordMeta,
  type RecordOf,
  type Repeat,
} from "./journal-records.ts";
export type {
  AppliedOperation,
  CommitRefusal,
  ImportReport,
  JournalCommit,
  JournalCommitted,
  JournalFacts,
  JournalRead,
  RecordWrite,
} from "./journal-store.ts";
export {
  enrolKeySchema,
  keyIdSchema,
  enrolmentStatement,
  ownerKeyFromWire,
  ownerKeyToWire,
  publicKeySchema,
  revokeKeySchema,
  secretRefSchema,
  SIGNING_KEY_NAME,
  signFileSchema,
  verifyFileSchema,
  type OwnerSignature,
  type KeyError,
  type KeyId,
  type KeysReport,
  type OwnerKey,
  type OwnerKeyBody,
  type PublicKeyHex,
  type SecretMissing,
  type SecretRef,
  type SignatureHex,
  type SigningError,
  type VaultFault,
  type VaultStatus,
  type VerifiedBy,
} from "./keys.ts";
export {
  readProjection,
  type ProjectionRefusal,
  type ReadProjection,
  type ShownPlan,
  type ShownTask,
} from "./approval/plan-projection.ts";
export {
  planProposalText,
  readPlanProposal,
  type PlanProposal,
  type ProposalReason,
  type ProposalRefused,
  type ProposedRepair,
} from "./approval/proposal.ts";
export { spawnPolicyHash, spawnsTask } from "./approval/spawn.ts";
export { type StandingTerms } from "./approval/standing.ts";
export { hostsOfSecrets } from "./secret/named-hosts.ts";
export type { SecretFinding, SecretRefusal, SecretScan } from "./secret/secret-scan.ts";
export {
  telegramStateWords,
  type ArrivedText,
  type HeardUpdate,
  type NoticeButtons,
  type TelegramFault,
  type TelegramNotice,
  type TelegramPlace,
  type TelegramState,
} from "./telegram/telegram-records.ts";
export type { Credential } from "./work/credential-records.ts";
export { executionEnvelopeSchema, type ExecutionEnvelope } from "./work/envelope.ts";
export {
  executionResultSchema,
  type ExecutionResult,
  HIGH_RISK_CALL,
  isRunKind,
  nextSteps,
  resultNames,
  summaryText,
  executionText,
  readExecution,
  type Execution,
  type KeptRows,
} from "./work/execution-records.ts";
export {
  isReservedRef,
  listedSecretToWire,
  namedSecretSchema,
  secretValueSchema,
  secureInputToWire,
  wantedSecretFromWire,
  wantedSecretSchema,
  wantedSecretToWire,
  type ActBy,
  type AskedSecret,
  type ListedSecret,
  type ListedSecretBody,
  type PendingSecretsBody,
  type SecretInput,
  type SecretsBody,
  type SecureInputBody,
  type SecureInputCompleted,
  type SecureInputRefusal,
  type SecureInputRequest,
  type VaultPlace,
  type WantedSecret,
} from "./secret/secure-input.ts";
export { egressWords } from "./egress/egress-words.ts";
export { hostWords, parseHostRule, type HostRule } from "./egress/host-rule.ts";
export type { NetworkUse, NetworkUseBody } from "./egress/network-use.ts";
export type { EgressRefusalReason, EgressSums, EgressUse } from "./egress/records.ts";
export {
  SEARCH_DOOR,
  SEARCH_HOST,
  searchWords,
  type SearchGrant,
  type SearchRefusal,
  type SearchResult,
} from "./egress/search.ts";
export { defaultSandboxConfig, type SandboxConfig, type SandboxLine, type SandboxRun } from "./sandbox/records.ts";
export type { SandboxRefusal, SandboxSupport } from "./sandbox/refusals.ts";
export { sandboxWords } from "./sandbox/words.ts";
export {
  hostIdSchema,
  ID_PART_CHARS_MIN,
  isId,
  isIdPart,
  instantSchema,
  nameSchema,
  recordIdSchema,
  type HostId,
  type OperationId,
  type RecordId,
  maxLength,
  minLength,
} from "./values.ts";
export {
  clientFrameSchema,
  enrolRequestSchema,
  type ClientFrame,
  type EnrolRequest,
  type EnrolResponse,
  type ErrorBody,
  type ServerFrame,
  type StatusBody,
} from "./wire.ts";
export {
  CHECK_OUTPUT_CHARS,
  ERROR_CHARS,
  ledgerEntrySchema,
  ledgerEntryToWire,
  isModelTurn,
  MODEL_TURN,
  RETURN_CHARS,
  isRunStatus,
  RUN_STATUSES,
  runRecordSchema,
  runRecordToWire,
  type Artifact,
  type Artifacts,
  type BudgetUsed,
  type CheckResult,
  type CheckResultBody,
  type LedgerEntry,
  type LedgerEntryBody,
  type AwaitedAdvice,
  type RunQuestion,
  type RunRecord,
  type RunRecordBody,
  type RunStatus,
  type StepDecision,
} from "./work/run-records.ts";
export {
  doubtSchema,
  doubtToWire,
  SETTLE_CHOICES,
  settlementText,
  settleRunSchema,
  runSettlementSchema,
  runSettlementToWire,
  type Doubt,
  type DoubtBody,
  type SettleChoice,
  type RunSettlement,
  type RunSettlementBody,
} from "./work/doubt-records.ts";
export {
  answerOptions,
  argumentWords,
  commandLine,
  connectionName,
  domainNames,
  fileDigest,
  permissionNames,
  place,
  soughtText,
  sourceText,
} from "./work/tool-kinds.ts";
export { parameters, shownLine } from "./work/work-kinds.ts";
export {
  changeMemorySchema,
  MEMORY_TYPES,
  memoryActSchema,
  memoryItemSchema,
  memoryListSchema,
  memorySearchSchema,
  memoryToWire,
  REINGESTION_TIERS,
  rememberSchema,
  ruleId,
  TRUST_LEVELS,
  type ChangingMemory,
  type ForgottenMemory,
  type KeptMemory,
  type MemoryItem,
  type MemoryItemBody,
  type MemoryPlace,
  type MemoryQuery,
  type MemorySearch,
  type MemoryType,
  type PromotedMemory,
  type Remembering,
  type StandingRules,
  type UsedMemories,
} from "./memory/memory.ts";
export { memoryTrustWords, type MemoryRefusal } from "./memory/memory-words.ts";
export {
  answerSuggestionSchema,
  OUTCOME_OF_ANSWER,
  placeOfSuggestion,
  SOURCE_WORDS,
  SUGGESTION_OFFERS,
  suggestionCtas,
  suggestionProposalSchema,
  suggestionSchema,
  suggestionToWire,
  type Suggestion,
  type SuggestionAnswer,
  type SuggestionBody,
  type SuggestionOffer,
  type SuggestionOutcome,
  type SuggestionProposal,
} from "./suggestion/suggestion.ts";
export type { SuggestionRefusal } from "./suggestion/suggestion-words.ts";
export {
  removeSkillSchema,
  skillCheckSchema,
  skillCheckToWire,
  skillInstallSchema,
  skillPlaceSchema,
  skillViewSchema,
  skillViewToWire,
  type SkillCheck,
  type SkillInstall,
  type SkillState,
  type SkillView,
  type SkillViewBody,
} from "./skill/skill-views.ts";
export {
  skillUnusableWords,
  type SkillRefusal,
  type SkillTreeRefused,
  type SkillUnusable,
  type TreeFault,
  type UnusableReason,
} from "./skill/skill-words.ts";
export {
  skillFindingWords,
  type SkillFinding,
  type SkillNoteCode,
  type SkillProblemCode,
  type SkillReport,
} from "./skill/skill-report.ts";
export {
  isSkillPath,
  isSkillCode,
  isSkillScript,
  SKILL_DOCUMENT,
  SKILL_NAME,
  skillTreeDigest,
  type SkillFile,
} from "./skill/skill-tree.ts";
export { longLine, skillName } from "./work/work-keys.ts";
export {
  cycleSchema,
  cycleToWire,
  isPlainCycle,
  itemsOfGoal,
  type ApprovedGoal,
  type Cycle,
  type CycleBody,
  type CycleEnd,
  type CycleTrigger,
  type FoundItems,
  type KeptGoal,
  type Repair,
} from "./goal/goal-records.ts";
export {
  goalActSchema,
  goalDetailFromWire,
  goalDetailToWire,
  goalSummaryFromWire,
  goalSummaryToWire,
  type GoalDetail,
  type GoalDetailBody,
  type GoalStatus,
  type GoalStream,
  type GoalSummary,
  type GoalSummaryBody,
} from "./goal/goal-wire.ts";
export { cycleLine, GOAL_STATES, scheduleWords } from "./goal/goal-lines.ts";
export {
  streamWords,
  type Stream,
  type StreamEnd,
  type StreamEvent,
  type StreamGoal,
  type ToldStream,
} from "./goal/stream-records.ts";
export type { GoalRefusal } from "./goal/goal-words.ts";
export { deadWords, type DeadReason } from "./bus/bus-audit.ts";
export { derivedProblem, type DerivedProblem } from "./bus/derived.ts";
export { beginsRun, decidedIdOf, decidedOf, subjectIdIn } from "./bus/decided.ts";
export { isMessageKind, kindOfId, KINDS, type MessageKind } from "./bus/kinds.ts";
export {
  everyMinutes,
  PROBLEM_WORDS,
  readSchedule,
  timerDueOf,
  timerSchema,
  timerToWire,
  timerWords,
  type MissedPolicy,
  type Timer,
  type TimerProblem,
  type TimerSchedule,
} from "./timer/timer.ts";
export { timerKey, type SkippedTimes, type TimerDue } from "./timer/timer-due.ts";
export {
  isSenderAllowed,
  orderKeyOf,
  parseQueueMessage,
  queueMessageText,
  workItemOf,
  type MessageOf,
  type MessageProblem,
  type QueueMessage,
} from "./bus/queue-message.ts";
export { emptyChecksOf, saysNothing } from "./work/empty-check.ts";
export {
  ESCALATION_ACTIONS,
  FRONT_MATTER,
  mayBeNull,
  predicatesOf,
  RUNTIME_STATE,
  STEP,
  WORK_ITEM,
  type EscalationAction,
  type Expectation,
  type Gate,
  type Repository,
  type Step,
  type VerificationCheck,
  type WorkItem,
} from "./work/work-records.ts";
export {
  workDetailFromWire,
  workDetailToWire,
  workSummaryFromWire,
  workSummaryToWire,
  type RunProgress,
  type WorkDetail,
  type WorkDetailBody,
  type WorkSummary,
  type WorkSummaryBody,
} from "./work/run-wire.ts";
export { type ProjectSummary, type ProjectSummaryBody } from "./work/project-wire.ts";
export {
  connectionFailureSchema,
  FAILURE_TYPES,
  type ConnectionFailure,
  type FailureType,
  type RecoveryOption,
} from "./connection/connection-failure.ts";
export { keptConnectionSchema } from "./connection/kept-connection.ts";
export { escalationReplySchema, type EscalationReply } from "./connection/escalation-payload.ts";
export { readsOnly, staysInside, tiersOf } from "./connection/permissions.ts";
export type { ConnectionRefusal } from "./connection/connection-words.ts";
export {
  CONNECTION_KEYS,
  CONNECTION_SCRIPTS,
  connectionManifestSchema,
  type ConnectionManifest,
  type ConnectionScript,
} from "./connection/connection-manifest.ts";
export { isConnectionWaiting } from "./connection/waiting.ts";
export { connectionCardSchema, type ConnectionCard, type ConnectionCardOf } from "./connection/connection-card.ts";
export {
  AUTH_STRATEGIES,
  connectionRecordToWire,
  healthCheckSchema,
  type AuthStrategy,
  type ConnectionRecord,
  type ConnectionStatus,
  type HealthCheck,
} from "./connection/connection-record.ts";
export {
  connectionViewSchema,
  connectionViewToWire,
  connectSchema,
  discoverySchema,
  recoverSchema,
  type Discovery,
  type ConnectionView,
  type ConnectionViewBody,
  type IdentityHint,
} from "./connection/connection-wire.ts";
export {
  credentialName,
  scriptLineSchema,
  stepResponseSchema,
  type ScriptLine,
  type SetupStep,
  type StepResponse,
} from "./connection/setup-step.ts";
export {
  type AnswerPart,
  type ConversationMessage,
  type FinishReason,
  type ModelAnswer,
  type ModelQuestion,
  type OfferedTool,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  questionTokens,
} from "./talk/conversation.ts";
export {
  modelSetting,
  modelToWire,
  modeWords,
  placeWords,
  type ModelBody,
  type ModelConfig,
  type ModelKey,
  type ModelPlace,
  type ModelSetting,
} from "./talk/model-place.ts";
export {
  MODEL_ABSENCE_WORDS,
  MODEL_FAILURE_WORDS,
  modelNext,
  type ModelFailure,
  type ModelRefusal,
  type ModelTriedBody,
} from "./talk/model-words.ts";
export type { ModelPurpose } from "./talk/purpose.ts";
export {
  letThroughOf,
  messageIdIn,
  userMessageOf,
  agentResponseSchema,
  carriesPlan,
  isExchangeOver,
  isTurnOver,
  type Exchange,
  stopTurnSchema,
  planText,
  toldTurnFromWire,
  toldTurnToWire,
  turnFromWire,
  turnQuerySchema,
  turnToWire,
  type AgentResponse,
  type StoppedTurnBody,
  type ToldTurnBody,
  type Turn,
  type TurnAnswerBody,
  type TurnChange,
  type TurnFailure,
  type TurnRefusal,
} from "./talk/turn.ts";
export { joinDelta, turnNewsFromWire, turnNewsToWire, type TurnDelta, type TurnNews } from "./talk/turn-delta.ts";
export { turnEndWords, turnFailureWords, turnNotes } from "./talk/turn-words.ts";
export { adviceIdOf, consultMessage, replanIdOf } from "./consult/consult-message.ts";
export { consultLine, consultWords } from "./consult/consult-words.ts";
export { replacedIn, replacementText } from "./consult/replaced.ts";
export {
  consultationFromWire,
  consultationToWire,
  isAwaited,
  isConsultOver,
  toldConsultFromWire,
  toldOf,
  type ConsultChange,
  type ConsultFailure,
  type Consultation,
  type ConsultRefusal,
  type OtherWay,
  type ToldConsult,
  type ToldConsultBody,
} from "./consult/consultation.ts";
export { newsBetween, type RunTold } from "./work/run-news.ts";
export { runLine, settlementLine, stepPlace } from "./work/run-words.ts";
export {
  STOP_UNRECORDED,
  nothingSchema,
  STOPPED_BY,
  stoppedSchema,
  type StartAgainBody,
  type StopBody,
  type Stopped,
  type StoppedBody,
  type WorkListBody,
} from "./work/stop-records.ts";
export { byTitle, gateKey, type NameOf } from "./work/work-names.ts";
export type { ApprovalLapse, WorkRefusal } from "./work/work-words.ts";
export { nameOfCommand, wordPartsFor, wordsFor } from "./words.ts";

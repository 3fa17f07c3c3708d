/** The catalogue's part about secrets on their way into the vault. */
export const secretWords = {
  secrets: {
    title: "Secret",
    field: "Secret",
    store: "Store in the vault",
    storing: "Storing",
    reveal: "Show while held",
    goes: {
      encrypted_file: "Goes to your vault (encrypted file). The agent never sees it.",
      secret_service: "Goes to your vault (system keyring). The agent never sees it.",
    },
    goesUnknown: "Goes to your vault. The agent never sees it.",
    hint: (hint: string) => `Looks like ${hint}`,
    help: (host: string) => `Help at ${host}`,
    asked: (when: string) => `Asked ${when}`,
    until: (when: string) => `waits until ${when}`,
    empty: "Type or paste the secret first.",
    tooLong: (bytes: string) => `A secret has at most ${bytes} bytes.`,
    again: "The field was cleared. Type or paste it once more.",
    unknownOutcome: "Whether it was stored is not known. If this still waits when you are back online, send it again.",
    offline:
      "You are offline. A secret is never kept in this browser to be sent later, so this waits until you are back.",
    stored: "Stored in the vault.",
    storedBody: (ref: string) => `It is there under the name ${ref}. This page does not have it any more.`,
    fulfilled: "This secret is stored already.",
    fulfilledBody: "To replace it, ask for it again in a terminal:",
    unknown: "Nothing asks for a secret here.",
    unknownBody: "It was never asked for, its time is over, or it was removed. Ask for it in a terminal:",
    setCommand: (ref: string) => `silas secrets set ${ref}`,
    askCommand: (ref: string) => `silas secrets ask ${ref} --label "What it is"`,
    onward: "Back to the start",
  },
};

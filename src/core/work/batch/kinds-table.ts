/** Which folder a file belongs to by the ending of its name, and how sure that is. */
export type FileKind = { readonly folder: string; readonly word: string; readonly confidence: number };

const kind = (folder: string, word: string, confidence = 0.95): FileKind => ({ folder, word, confidence });

const DOCUMENT = kind("Documents", "a document");
const SHEET = kind("Spreadsheets", "a table");
const IMAGE = kind("Images", "a picture");
const AUDIO = kind("Audio", "a recording");
const VIDEO = kind("Video", "a film");
const ARCHIVE = kind("Archives", "an archive", 0.9);
const INSTALLER = kind("Installers", "an installer", 0.9);
/** They may be parts of something that expects them where they are. */
const CODE = kind("Code", "source code", 0.6);
const DATA = kind("Data", "data of a program", 0.6);

/** Where nothing is known, nothing is sure. */
export const OTHER = kind("Other", "of no known kind", 0.3);

const ENDINGS: readonly (readonly [FileKind, string])[] = [
  [DOCUMENT, "pdf doc docx odt rtf txt md pages epub tex djvu ppt pptx odp"],
  [SHEET, "xls xlsx ods csv tsv numbers"],
  [IMAGE, "jpg jpeg png gif webp heic svg bmp tif tiff avif"],
  [AUDIO, "mp3 wav flac ogg oga opus m4a aac aiff"],
  [VIDEO, "mp4 mkv mov avi webm m4v mpg mpeg"],
  [ARCHIVE, "zip tar gz tgz bz2 xz zst 7z rar"],
  [INSTALLER, "deb rpm dmg pkg exe msi appimage iso"],
  [CODE, "js mjs ts py rb go rs c h cpp java sh pl php html css"],
  [DATA, "json xml yaml yml toml sql db sqlite log"],
];

/** Endings that two kinds have: neither can be told from the name alone. */
export const SECOND_KIND_BY_ENDING: ReadonlyMap<string, FileKind> = new Map([
  ["ts", VIDEO],
  ["html", DOCUMENT],
  ["svg", CODE],
  ["iso", ARCHIVE],
  ["ogg", VIDEO],
  ["log", DOCUMENT],
]);
/** Offered beside `Other` for what has no kind at all. */
export const GUESS = DOCUMENT;

export const KIND_BY_ENDING: ReadonlyMap<string, FileKind> = new Map(
  ENDINGS.flatMap(([one, endings]) => endings.split(" ").map((ending) => [ending, one] as const)),
);

import { gateSchemas } from "#model";
import { foldForWords } from "./folded.ts";
import { validatorKind } from "./validator.ts";

/**
 * Threats, urging to self-harm, and abuse of whoever is spoken to, as far as a short list goes. Swearing about a thing is
 * not abuse of a person. Words of the owner's own are matched whole, never inside other words.
 */
export const toxicityValidator = validatorKind({
  schema: gateSchemas.toxicity,
  takes: "on_fail: exception, and words, a list of at most 100 texts",
  create({ words = [] }) {
    const own = words.map((word) => ` ${foldForWords(word)} `).filter((word) => word.trim() !== "");
    return (text) => {
      const folded = foldForWords(text);
      const padded = ` ${folded} `;
      const isToxic = PHRASES.some((phrase) => phrase.test(folded)) || own.some((word) => padded.includes(word));
      return isToxic ? { state: "failed", message: "The text is abusive or threatening" } : { state: "passed" };
    };
  },
});

const INSULT =
  "(?:idiot|moron|imbecile|bitch|bastard|asshole|arsehole|scumbag|cunt|whore|slut|retard|retarded|wanker|dickhead|scum|vermin)";

const PHRASES = [
  "\\b(?:i|we) (?:will|am going to|are going to|shall|want to) (?:kill|murder|stab|shoot|strangle|rape) (?:you|him|her|them|your)\\b",
  "\\b(?:ill|im going to|im gonna|i gonna) (?:kill|murder|stab|shoot|strangle|rape) (?:you|him|her|them|your)\\b",
  "(?<!not )\\b(?:kill|hang) yourself\\b",
  "\\bkys\\b",
  "\\b(?:you|u) should (?:just )?(?:die|kill yourself)\\b",
  "\\bgo die\\b",
  "\\bf+u+c+k+ ?(?:you|u|off|yourself)\\b",
  `\\b(?:you|u|youre|you are|ur)(?: are| re)?(?: such)?(?: an?)?(?: (?:fucking|stupid|total|complete|absolute|dirty|worthless|dumb|filthy|pathetic|ugly)){0,3} ${INSULT}\\b`,
  "\\b(?:you|youre|you are)(?: are)?(?: an?)?(?: [a-z]+){0,2} (?:piece of shit|waste of (?:space|oxygen|skin))\\b",
].map((source) => new RegExp(source, "u"));

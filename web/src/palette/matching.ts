/**
 * What is meant by some words, each of which begins a word of its name. Inside a word counts as little as in a dictionary:
 * "ana" would otherwise mean "Manage categories" before it means Ana.
 */
export const matching = <T extends { readonly name: string }>(all: readonly T[], text: string): readonly T[] => {
  const asked = wordsIn(text);
  return all.filter(({ name }) => {
    const own = wordsIn(name);
    return asked.every((word) => own.some((one) => one.startsWith(word)));
  });
};

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

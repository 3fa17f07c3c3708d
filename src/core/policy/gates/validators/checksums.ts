/** The check digit of payment cards. */
export function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    const doubled = index % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** The check digits of bank accounts: the number with its letters as digits, turned by four, leaves 1 over 97. */
export function isIban(compact: string): boolean {
  const turned = compact.slice(4) + compact.slice(0, 4);
  let rest = 0;
  for (const character of turned) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

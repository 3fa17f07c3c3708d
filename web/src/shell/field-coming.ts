/** Elements that take letters. A key pressed in one of these is never a shortcut. */
export const FIELDS = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";

let isComing = false;
/** True from the press that opens a field until that field has the focus. */
export const isFieldComing = (): boolean => isComing;

/**
 * For a control whose field is not there yet, because the server or a part of the page has to come first: whoever types on
 * means the field, and must not undo or conclude something. Ends when a field has the focus, when the person turns elsewhere,
 * or by the returned function when there will be no field.
 */
export function expectField(): () => void {
  const over = new AbortController();
  const listen = { capture: true, signal: over.signal };
  const giveUp = (): void => {
    isComing = false;
    over.abort();
  };
  isComing = true;
  window.addEventListener(
    "focusin",
    ({ target }) => {
      if (target instanceof Element && target.matches(FIELDS)) giveUp();
    },
    listen,
  );
  window.addEventListener("pointerdown", giveUp, listen);
  window.addEventListener(
    "keydown",
    ({ key }) => {
      if (key === "Escape" || key === "Tab") giveUp();
    },
    listen,
  );
  return giveUp;
}

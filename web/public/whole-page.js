/**
 * A part that does not arrive, since a connection broke or the server stood still, would leave an empty page to whoever
 * opened it. Everything is asked for once more then; what is missing again is left at that for a minute. Where somebody
 * has already pressed or typed something, nothing is taken from under their hands: the surface says what it lacks.
 */
{
  const PAUSE_MS = 60_000;
  let isInUse = false;
  for (const press of ["pointerdown", "keydown"]) addEventListener(press, () => void (isInUse = true), true);
  const askAgain = () => {
    if (isInUse) return;
    try {
      if (Date.now() - Number(sessionStorage.getItem("silas.asked-again")) < PAUSE_MS) return;
      sessionStorage.setItem("silas.asked-again", String(Date.now()));
    } catch {
      // What cannot be remembered could go on for ever.
      return;
    }
    location.reload();
  };
  // Heard on the way down: the error of a script goes no further than the script.
  addEventListener("error", ({ target }) => target instanceof HTMLScriptElement && askAgain(), true);
  addEventListener("vite:preloadError", askAgain);
}

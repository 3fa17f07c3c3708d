/** Whoever pressed what is gone now goes on from the heading of the page. */
export function focusPageIfLost(): void {
  if (document.activeElement === null || document.activeElement === document.body) {
    document.querySelector<HTMLElement>("main h1")?.focus();
  }
}

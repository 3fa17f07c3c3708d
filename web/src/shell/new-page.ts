import { create } from "zustand";

/** A newer build of the page waits in the service worker; the owner decides when to reload. */
type NewPage = { readonly reload: (() => void) | null };
export const useNewPage = create<NewPage>(() => ({ reload: null }));
export const offerNewPage = (reload: () => void): void => useNewPage.setState({ reload });

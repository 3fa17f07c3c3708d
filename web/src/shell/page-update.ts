import { create } from "zustand";

/** A newer build of the page waits in the service worker; the owner decides when to reload. */
type PageUpdate = { readonly reload: (() => void) | null };
export const usePageUpdate = create<PageUpdate>(() => ({ reload: null }));
export const offerPageUpdate = (reload: () => void): void => usePageUpdate.setState({ reload });

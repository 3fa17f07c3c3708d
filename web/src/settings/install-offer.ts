import { create } from "zustand";

/** Chromium's offer to install the page; it comes once, early, and must be kept until somebody asks for it. */
type InstallOffer = Event & {
  readonly prompt: () => Promise<unknown>;
  readonly userChoice: Promise<{ readonly outcome: "accepted" | "dismissed" }>;
};

export const useInstallOffer = create<{ readonly offer: InstallOffer | null }>(() => ({ offer: null }));

export function keepInstallOffer(): void {
  window.addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    useInstallOffer.setState({ offer: event as InstallOffer });
  });
}

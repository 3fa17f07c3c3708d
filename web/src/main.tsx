import "./styles/tokens.css";
import "./styles/fonts.css";
import "./styles/base.css";
import "./styles/categories.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { registerSW } from "virtual:pwa-register";
import { App } from "./app.tsx";
import { followTheme } from "./preferences.ts";
import { enrol, takeEnrolmentCode } from "./session/session.ts";
import { keepInstallOffer } from "./settings/install-offer.ts";
import { offerPageUpdate } from "./shell/page-update.ts";

// First of all: a one-time code must be out of the address bar before anything else can look at it.
const code = takeEnrolmentCode();
if (code !== null) void enrol(code);

followTheme();
keepInstallOffer();
const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

const reloadWithUpdate = registerSW({ onNeedRefresh: () => offerPageUpdate(() => void reloadWithUpdate(true)) });

import type { ReactNode } from "react";
import { LimitsCard } from "../autonomy/limits-card.tsx";
import { ConnectionsSection } from "../connections/connections-section.tsx";
import { prefer, usePreferences, type Theme } from "../preferences.ts";
import { Page } from "../shell/page.tsx";
import { words } from "../words.ts";
import { About } from "./about.tsx";
import { Data } from "./data.tsx";
import { Devices } from "./devices.tsx";
import { Install } from "./install.tsx";
import { Passkeys } from "./passkeys.tsx";
import styles from "./settings.module.css";
import { SigningKey } from "./signing-key.tsx";

const THEMES: readonly Theme[] = ["system", "light", "dark"];

export function Settings(): ReactNode {
  return (
    <Page title={words.surfaces.settings} width="text">
      <div className={styles["cards"]}>
        <Appearance />
        <Keyboard />
        <Install />
        <SigningKey />
        <Passkeys />
        <Devices />
        <ConnectionsSection />
        <LimitsCard />
        <Data />
        <About />
      </div>
    </Page>
  );
}

function Appearance(): ReactNode {
  const theme = usePreferences((state) => state.theme);
  return (
    <section className={styles["card"]}>
      <h2>{words.settings.appearance}</h2>
      <fieldset className={styles["choices"]}>
        <legend>{words.settings.theme}</legend>
        {THEMES.map((each) => (
          <label key={each} className={styles["choice"]}>
            <input
              type="radio"
              name="theme"
              value={each}
              checked={theme === each}
              onChange={() => prefer({ theme: each })}
            />
            {words.settings.themes[each]}
          </label>
        ))}
      </fieldset>
    </section>
  );
}

function Keyboard(): ReactNode {
  const singleKeys = usePreferences((state) => state.singleKeys);
  return (
    <section className={styles["card"]}>
      <h2>{words.settings.keyboard}</h2>
      <label className={styles["switch"]}>
        <input
          type="checkbox"
          role="switch"
          aria-checked={singleKeys === "on"}
          checked={singleKeys === "on"}
          onChange={({ target }) => prefer({ singleKeys: target.checked ? "on" : "off" })}
        />
        <span>
          {words.settings.singleKeys}
          <span className={styles["hint"]}>{words.settings.singleKeysHint}</span>
        </span>
      </label>
    </section>
  );
}

import { Component, type ReactNode } from "react";
import { words } from "../words.ts";
import { Button } from "./button.tsx";
import styles from "./states.module.css";

type Props = { readonly children: ReactNode };
type State = { readonly state: "whole" | "broken" };

/**
 * Keeps the shell alive when a surface breaks. A class, because the platform offers this to classes only. Its user gives
 * it the address as `key`, so that going elsewhere begins afresh.
 */
export class Boundary extends Component<Props, State> {
  override state: State = { state: "whole" };

  static getDerivedStateFromError(): State {
    return { state: "broken" };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  override render(): ReactNode {
    if (this.state.state === "whole") return this.props.children;
    return (
      <div className={styles["failure"]} role="alert">
        <h2>{words.errors.surface}</h2>
        <p>{words.errors.kept}</p>
        <Button onClick={() => location.reload()}>{words.actions.reload}</Button>
      </div>
    );
  }
}

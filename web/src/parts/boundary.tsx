import { Component, type ReactNode } from "react";
import { words } from "../words.ts";
import { Button } from "./button.tsx";
import styles from "./states.module.css";

type Props = { readonly children: ReactNode; readonly resetKey: string };
type State = { readonly failedAt: string | null };

/** Keeps the shell alive when a surface breaks. A class, because the platform offers this to classes only. */
export class Boundary extends Component<Props, State> {
  override state: State = { failedAt: null };

  static getDerivedStateFromError(): Partial<State> | null {
    return { failedAt: "" };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  override componentDidUpdate(previous: Props): void {
    if (previous.resetKey !== this.props.resetKey && this.state.failedAt !== null) this.setState({ failedAt: null });
  }

  override render(): ReactNode {
    if (this.state.failedAt === null) return this.props.children;
    return (
      <div className={styles["failure"]} role="alert">
        <h2>{words.errors.surface}</h2>
        <p>{words.errors.kept}</p>
        <Button onClick={() => location.reload()}>{words.actions.reload}</Button>
      </div>
    );
  }
}

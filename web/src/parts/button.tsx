import type { ComponentProps, ReactNode } from "react";
import styles from "./button.module.css";
import { classes } from "./classes.ts";

type ButtonProps = ComponentProps<"button"> & {
  readonly tone?: "main" | "plain" | "quiet" | "danger";
  readonly size?: "usual" | "small";
};

export function Button({ tone = "plain", size = "usual", className, ...rest }: ButtonProps): ReactNode {
  return (
    <button type="button" {...rest} className={classes(styles["button"], styles[tone], styles[size], className)} />
  );
}

type IconButtonProps = ComponentProps<"button"> & { readonly label: string };

/** A button whose picture is its face; `label` is its name, and its tip for the pointer. */
export function IconButton({ label, className, ...rest }: IconButtonProps): ReactNode {
  return (
    <button type="button" aria-label={label} title={label} {...rest} className={classes(styles["icon"], className)} />
  );
}

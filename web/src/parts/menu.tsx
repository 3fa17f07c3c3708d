import { EllipsisVertical } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { words } from "../words.ts";
import { IconButton } from "./button.tsx";
import styles from "./menu.module.css";

export type MenuRow = {
  readonly text: string;
  readonly run: () => void;
  readonly tone?: "plain" | "danger";
  readonly hint?: string;
};
type MoreProps = { readonly label?: string; readonly rows: readonly MenuRow[] };

/** The rest of what can be done with a thing. */
export function More({ label = words.actions.more, rows }: MoreProps): ReactNode {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <IconButton label={label}>
          <EllipsisVertical size={18} aria-hidden />
        </IconButton>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={styles["menu"]} align="end" sideOffset={4} collisionPadding={12}>
          {rows.map((row) => (
            <DropdownMenu.Item
              key={row.text}
              className={styles["row"]}
              data-tone={row.tone ?? "plain"}
              onSelect={() => row.run()}
            >
              {row.text}
              {row.hint !== undefined && <kbd>{row.hint}</kbd>}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

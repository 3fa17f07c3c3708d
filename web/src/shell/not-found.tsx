import type { ReactNode } from "react";
import { Link } from "wouter";
import { Empty } from "../parts/states.tsx";
import { words } from "../words.ts";
import { Page } from "./page.tsx";

export function NotFound(): ReactNode {
  return (
    <Page title={words.errors.notFound}>
      <Empty text={words.errors.notFoundHelp}>
        <Link href="/">{words.errors.home}</Link>
      </Empty>
    </Page>
  );
}

import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense, type ReactNode } from "react";
import { Route, Switch, useLocation } from "wouter";
import { usePresence } from "./activity/away.ts";
import { queryClient } from "./data/reads.ts";
import { Home } from "./home/home.tsx";
import { Boundary } from "./parts/boundary.tsx";
import { Skeleton } from "./parts/states.tsx";
import { useSession } from "./session/session.ts";
import { SignedOut } from "./session/signed-out.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { Sheets } from "./shell/sheets.tsx";
import { Shell } from "./shell/shell.tsx";
import { useLive } from "./shell/use-live.ts";
import { words } from "./words.ts";

const Tasks = lazy(() => import("./tasks/tasks.tsx").then((room) => ({ default: room.Tasks })));
const Day = lazy(() => import("./day/day.tsx").then((room) => ({ default: room.Day })));
const Journal = lazy(() => import("./journal/journal.tsx").then((room) => ({ default: room.Journal })));
const Activity = lazy(() => import("./activity/activity.tsx").then((room) => ({ default: room.Activity })));
const Review = lazy(() => import("./review/review.tsx").then((room) => ({ default: room.Review })));
const SecretPage = lazy(() => import("./secrets/secret-page.tsx").then((room) => ({ default: room.SecretPage })));
const RunPage = lazy(() => import("./work/run-page.tsx").then((room) => ({ default: room.RunPage })));
const Talk = lazy(() => import("./talk/talk.tsx").then((room) => ({ default: room.Talk })));
const Memory = lazy(() => import("./memory/memory.tsx").then((room) => ({ default: room.Memory })));
const Goals = lazy(() => import("./goals/goals.tsx").then((room) => ({ default: room.Goals })));
const Settings = lazy(() => import("./settings/settings.tsx").then((room) => ({ default: room.Settings })));

export function App(): ReactNode {
  const state = useSession((session) => session.state);
  if (state !== "signed_in") return <SignedOut />;
  return (
    <QueryClientProvider client={queryClient}>
      <Cockpit />
    </QueryClientProvider>
  );
}

function Cockpit(): ReactNode {
  const retryNow = useLive();
  usePresence();
  const [path] = useLocation();
  return (
    <Shell onRetry={retryNow}>
      <Boundary key={surfaceOf(path)}>
        <Suspense fallback={<Skeleton label={words.tasks.loading} />}>
          <Switch>
            <Route path="/" component={Home} />
            <Route path="/tasks/:id?" component={Tasks} />
            <Route path="/day/:date?" component={Day} />
            <Route path="/journal" component={Journal} />
            <Route path="/activity" component={Activity} />
            <Route path="/review/:id?" component={Review} />
            <Route path="/goals/:id?" component={Goals} />
            <Route path="/memory" component={Memory} />
            <Route path="/talk" component={Talk} />
            <Route path="/work/:id" component={RunPage} />
            <Route path="/secrets/:ref" component={SecretPage} />
            <Route path="/settings" component={Settings} />
            <Route component={NotFound} />
          </Switch>
        </Suspense>
      </Boundary>
      <Sheets onRetry={retryNow} />
    </Shell>
  );
}

/** The surface of an address; a task opened from its list stays on the same one, and keeps its scroll and its drafts. */
const surfaceOf = (path: string): string => path.split("/")[1] ?? "";

import { Tags } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { Link, useParams, useSearchParams } from "wouter";
import { TASK_VIEWS, type JournalQuery, type RecordId, type TaskView } from "#model";
import { useJournal } from "../data/reads.ts";
import { IconButton } from "../parts/button.tsx";
import { Select } from "../parts/field.tsx";
import { Line } from "../parts/text.tsx";
import { Page } from "../shell/page.tsx";
import { useToday } from "../time/clock.ts";
import { openSheet } from "../ui-state.ts";
import { words } from "../words.ts";
import { TaskDetailPane } from "./task-detail.tsx";
import { TaskList } from "./task-list.tsx";
import styles from "./tasks.module.css";

type TasksQuery = Extract<JournalQuery, { kind: "tasks" }>;

const VIEW_ORDER: readonly TaskView[] = ["today", "open", "upcoming", "inbox", "done", "archived"];

export function Tasks(): ReactNode {
  const { id } = useParams<{ id?: string }>();
  const [search, setSearch] = useSearchParams();
  const today = useToday();
  const view = TASK_VIEWS.find((each) => each === search.get("view")) ?? "open";
  const categoryId = search.get("category");
  const labelId = search.get("label");
  const query = useMemo<TasksQuery>(
    () => ({
      kind: "tasks",
      view,
      today,
      ...(categoryId !== null && { categoryId: categoryId as RecordId }),
      ...(labelId !== null && { labelId: labelId as RecordId }),
      limit: 200,
    }),
    [view, today, categoryId, labelId],
  );
  const setCategory = (value: string): void =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      if (value === "") after.delete("category");
      else after.set("category", value);
      return after;
    });
  return (
    <div className={styles["split"]} data-detail={id === undefined ? "closed" : "open"}>
      <div className={styles["list"]}>
        <Page title={words.surfaces.tasks} aside={<CategoryFilter value={categoryId ?? ""} onChange={setCategory} />}>
          <ViewNav current={view} today={today} search={search} />
          {labelId !== null && <LabelFilter id={labelId} search={search} />}
          <TaskList query={query} openId={id ?? null} search={search} />
        </Page>
      </div>
      {id !== undefined && <TaskDetailPane key={id} id={id as RecordId} search={search} />}
    </div>
  );
}

type ViewNavProps = {
  readonly current: TaskView;
  readonly today: TasksQuery["today"];
  readonly search: URLSearchParams;
};

function ViewNav({ current, today, search }: ViewNavProps): ReactNode {
  const { data: counts } = useJournal({ kind: "counts", today });
  return (
    <nav aria-label={words.viewNav} className={styles["views"]}>
      {VIEW_ORDER.map((view) => {
        const to = new URLSearchParams(search);
        to.set("view", view);
        return (
          <Link
            key={view}
            href={`/tasks?${to}`}
            className={styles["view"]}
            aria-current={view === current ? "page" : undefined}
          >
            {words.views[view]}
            {counts !== undefined && <span className="mono">{counts[view]}</span>}
          </Link>
        );
      })}
    </nav>
  );
}

type FilterProps = { readonly value: string; readonly onChange: (value: string) => void };

function CategoryFilter({ value, onChange }: FilterProps): ReactNode {
  const { data } = useJournal({ kind: "categories" });
  return (
    <div className={styles["filter"]}>
      <Select aria-label={words.tasks.category} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{words.tasks.allCategories}</option>
        {data
          ?.filter(({ id, body }) => body.archivedAt === null || id === value)
          .map((category) => (
            <option key={category.id} value={category.id}>
              {category.body.name}
            </option>
          ))}
      </Select>
      <IconButton label={words.tasks.manageCategories} onClick={() => openSheet({ kind: "categories" })}>
        <Tags size={18} aria-hidden />
      </IconButton>
    </div>
  );
}

/** The label a list is narrowed to, and the way back. */
function LabelFilter({ id, search }: { readonly id: string; readonly search: URLSearchParams }): ReactNode {
  const { data } = useJournal({ kind: "labels" });
  const name = data?.find((label) => label.id === id)?.body.name ?? "";
  const without = new URLSearchParams(search);
  without.delete("label");
  return (
    <p className={styles["narrowed"]}>
      {words.tasks.filterLabel} <Line text={words.tasks.label(name)} />
      <Link href={`/tasks?${without}`}>{words.tasks.showAll}</Link>
    </p>
  );
}

type Forms = { readonly one: string; readonly many: string };

export const plural = (count: number, { one, many }: Forms): string => `${count} ${count === 1 ? one : many}`;

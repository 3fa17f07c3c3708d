declare const brand: unique symbol;

/** A value that went through its parser. Two brands never mix, though both are strings at run time. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

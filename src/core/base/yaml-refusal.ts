/** What the strict YAML reader may refuse. The reader needs a library, so it stands outside core and is given to it. */
export type YamlRefusalCode =
  | "alias_refused"
  | "ambiguous_scalar"
  | "anchor_refused"
  | "directive_refused"
  | "document_too_complex"
  | "document_too_deep"
  | "document_too_large"
  | "duplicate_key"
  | "key_not_text"
  | "merge_key_refused"
  | "number_refused"
  | "several_documents"
  | "tag_refused"
  | "yaml_syntax";

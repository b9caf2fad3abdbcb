"""The language server: what trainlint finds, in an editor. It needs the extra ``trainlint[lsp]``."""

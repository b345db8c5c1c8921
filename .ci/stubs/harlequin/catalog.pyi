class CatalogItem:
    children: list[CatalogItem]
    def __init__(
        self,
        qualified_identifier: str,
        query_name: str,
        label: str,
        type_label: str,
        children: list[CatalogItem] = ...,
        type_name: str | None = ...,
    ) -> None: ...

class Catalog:
    def __init__(self, items: list[CatalogItem]) -> None: ...

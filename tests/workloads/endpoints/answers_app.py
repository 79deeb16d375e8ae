# SPDX-License-Identifier: GPL-2.0-only
"""A handler whose answer takes longer to make than it runs itself."""
from fastapi import FastAPI

app = FastAPI()


@app.get("/rows", response_model=None)
async def rows():
    return [{"number": number, "name": "row", "of": {"more": [1, 2, 3]}} for number in range(300)]

#!/usr/bin/env python3
"""Uses the page of `retrograde serve` in a real browser, as somebody would who looks at endings.

    page.py PROGRAM TABLES [PICTURES]

Needs playwright for Python and chromium. TABLES has the tables of three men of chess, and KRvK of
xiangqi. With PICTURES it leaves pictures of the views there. Fails if a step does, if the page asks
any other machine for something, if the console has an error, or, with axe-core in AXE, if that
finds something serious.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from playwright.sync_api import Page, expect, sync_playwright

ROOK = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"


class Desk:
    """The page with a board on it."""

    def __init__(self, page: Page, address: str):
        self.page, self.address = page, address

    def open(self, query: str = "") -> None:
        self.page.goto(self.address + query)

    def verdict(self, text: str) -> None:
        expect(self.page.locator("#verdict")).to_have_text(re.compile(text))

    def fen(self, text: str) -> None:
        expect(self.page.locator("#fen")).to_have_value(re.compile("^" + re.escape(text)))

    def point(self, square: str, files: int = 8, ranks: int = 8, first: int = 1):
        box = self.page.locator("#board").bounding_box()
        file, rank = ord(square[0]) - 97, int(square[1:]) - first
        return (
            box["x"] + (file + 0.5) * box["width"] / files,
            box["y"] + (ranks - rank - 0.5) * box["height"] / ranks,
        )

    def drag(self, start, end) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(*[(a + b) / 2 for a, b in zip(start, end)])
        mouse.move(*end)
        mouse.up()


def values(desk: Desk) -> None:
    desk.open("?fen=" + ROOK.replace(" ", "_"))
    desk.verdict("White wins: mate in 16")
    expect(desk.page.locator("#moves h3").first).to_have_text("Wins")
    expect(desk.page.locator("#moves")).to_contain_text("Draws")


def moves(desk: Desk) -> None:
    page = desk.page
    desk.open("?fen=" + ROOK.replace(" ", "_"))
    desk.verdict("White wins")
    # A legal drag is a move.
    desk.drag(desk.point("b2"), desk.point("b8"))
    desk.fen("1R6/8/8/8/8/2k5/8/K7 b - - 1 1")
    # Two clicks are one as well.
    page.mouse.click(*desk.point("c3"))
    page.mouse.click(*desk.point("c4"))
    desk.fen("1R6/8/8/8/2k5/8/8/K7 w - - 2 2")
    # Back and forth in history.
    page.go_back()
    desk.fen("1R6/8/8/8/8/2k5/8/K7 b - - 1 1")
    page.go_back()
    desk.fen(ROOK)
    page.go_forward()
    desk.fen("1R6/8/8/8/8/2k5/8/K7 b - - 1 1")
    # Anything else is an edit, and off the board is away.
    desk.verdict("Black loses")
    desk.drag(desk.point("b8"), desk.point("a7"))
    desk.fen("8/R7/8/8/8/2k5/8/K7 b - - 1 1")
    box = page.locator("#board").bounding_box()
    desk.drag(desk.point("a7"), (box["x"] + box["width"] + 60, box["y"] + 60))
    desk.fen("8/8/8/8/8/2k5/8/K7 b")
    desk.verdict("Draw")
    # A man from beside the board.
    spare = page.get_by_role("button", name="Add white queen").bounding_box()
    desk.drag((spare["x"] + 10, spare["y"] + 10), desk.point("h7"))
    desk.fen("8/7Q/8/8/8/2k5/8/K7 b")
    desk.verdict("Black loses")


def promotion(desk: Desk) -> None:
    desk.open("?fen=8/4P3/8/8/8/2k5/8/K7_w_-_-_0_1")
    desk.verdict("White wins")
    desk.drag(desk.point("e7"), desk.point("e8"))
    desk.page.get_by_role("dialog").get_by_role("button", name="white rook").click()
    desk.fen("4R3/8/8/8/8/2k5/8/K7 b - - 0 1")


def keyboard(desk: Desk) -> None:
    page = desk.page
    desk.open("?fen=" + ROOK.replace(" ", "_"))
    desk.verdict("White wins")
    page.locator("#board").focus()
    for key in ["ArrowRight", "ArrowUp", "Enter", "ArrowUp", "Enter"]:
        page.keyboard.press(key)
    desk.fen("8/8/8/8/8/1Rk5/8/K7 b")
    page.keyboard.press("Delete")
    desk.fen("8/8/8/8/8/2k5/8/K7 b")
    page.keyboard.press("R")
    desk.fen("8/8/8/8/8/1Rk5/8/K7 b")
    expect(page.locator("#cursor")).not_to_be_empty()
    desk.open("?fen=" + ROOK.replace(" ", "_"))
    desk.verdict("White wins")
    page.locator("#board").focus()
    page.keyboard.press(" ")
    desk.verdict("Black loses")


def controls(desk: Desk) -> None:
    page = desk.page
    desk.open("?fen=" + ROOK.replace(" ", "_"))
    desk.verdict("White wins")
    page.locator("#mirror").click()
    desk.fen("8/8/8/8/8/5k2/6R1/7K w")
    page.locator("#colors").click()
    desk.fen("7k/6r1/5K2/8/8/8/8/8 b")
    desk.verdict("Black wins")
    page.locator("#turn").click()
    desk.fen("7k/6r1/5K2/8/8/8/8/8 w")
    page.locator("#flip").click()
    page.locator("#clear").click()
    desk.fen("7k/8/5K2/8/8/8/8/8 w")
    page.locator("#fen").fill("8/8/8/8/8/2k5/Q7/K7 w")
    page.locator("#fen").press("Enter")
    desk.verdict("White wins")
    page.locator("#fen").fill("nonsense")
    page.locator("#fen").press("Enter")
    desk.verdict("ranks")
    desk.open("?fen=" + ROOK.replace(" ", "_"))
    desk.verdict("White wins: mate in 16")
    page.locator("#clock").fill("80")
    page.locator("#clock").press("Enter")
    desk.verdict("White wins, but for the fifty-move rule")
    # A FEN pasted anywhere.
    page.locator("#board").focus()
    page.evaluate(
        """text => { const data = new DataTransfer(); data.setData("text", text);
        document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data })); }""",
        "8/8/8/8/8/2k5/1Q6/K7 b",
    )
    desk.fen("8/8/8/8/8/2k5/1Q6/K7 b")


def lines(desk: Desk) -> None:
    page = desk.page
    desk.open("?fen=" + ROOK.replace(" ", "_"))
    desk.verdict("White wins")
    page.locator("#line-mate").click()
    buttons = page.locator("#line-moves button")
    expect(buttons).to_have_count(31)
    expect(buttons.last).to_have_text(re.compile("#"))
    buttons.last.click()
    desk.verdict("Black is mated")


def every_square(desk: Desk, pictures: pathlib.Path | None) -> None:
    desk.open("?fen=" + ROOK.replace(" ", "_"))
    desk.verdict("White wins")
    desk.page.locator("#every").click()
    expect(desk.page.locator("#board rect.value").first).to_be_visible()
    assert desk.page.locator("#board rect.value.win").count() > 20
    picture(desk.page, pictures, "squares")


def material(desk: Desk, pictures: pathlib.Path | None) -> None:
    desk.open("?fen=" + ROOK.replace(" ", "_"))
    desk.verdict("White wins")
    desk.page.locator("#about").click()
    expect(desk.page.locator("#material")).to_contain_text("longest win 31 plies")
    expect(desk.page.locator("#material svg.histogram").first).to_be_visible()
    picture(desk.page, pictures, "material")
    desk.page.locator("#material .boards a").first.click()
    desk.verdict("White wins: mate in 16")


def xiangqi(desk: Desk, pictures: pathlib.Path | None) -> None:
    page = desk.page
    desk.open("")
    page.get_by_role("button", name="Xiangqi").click()
    desk.verdict("Red wins")
    picture(page, pictures, "xiangqi")
    desk.drag(desk.point("a0", 9, 10, 0), desk.point("a5", 9, 10, 0))
    desk.fen("3k5/9/9/9/R8/9/9/9/9/4K4 b")
    desk.verdict("Black")
    page.get_by_role("button", name="Chess").click()
    desk.verdict("White wins")


def narrow(desk: Desk) -> None:
    page = desk.page
    page.set_viewport_size({"width": 360, "height": 740})
    desk.open("?fen=" + ROOK.replace(" ", "_"))
    desk.verdict("White wins")
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 360, f"the page is {wide} pixels wide"
    page.set_viewport_size({"width": 1200, "height": 900})


def dark(desk: Desk, pictures: pathlib.Path | None) -> None:
    page = desk.page
    page.emulate_media(color_scheme="dark")
    desk.open("?fen=" + ROOK.replace(" ", "_"))
    desk.verdict("White wins")
    back = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert back == "rgb(25, 26, 28)", back
    check_access(page)
    page.emulate_media(color_scheme="light")


def check_access(page: Page) -> None:
    """What axe-core finds, where it is there."""
    axe = os.environ.get("AXE")
    if not axe:
        return
    page.evaluate(pathlib.Path(axe).read_text())
    found = page.evaluate("axe.run().then(({ violations }) => violations)")
    serious = [it for it in found if it["impact"] in ("serious", "critical")]
    assert not serious, [(it["id"], it["nodes"][0]["html"]) for it in serious]


def picture(page: Page, folder: pathlib.Path | None, name: str) -> None:
    check_access(page)
    if folder:
        page.screenshot(path=folder / f"{name}.png")


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, tables = sys.argv[1:3]
    pictures = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    server = subprocess.Popen(
        [program, "serve", "--listen", "127.0.0.1:0", "--tables", tables],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    problems = []
    try:
        address = server.stdout.readline().split()[-1]
        with sync_playwright() as playwright:
            arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
            arguments += ["--disable-component-update"]
            browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
            page = browser.new_page(viewport={"width": 1200, "height": 900})

            def asked(request):
                if not request.url.startswith((address, "data:")):
                    problems.append(f"asked for {request.url}")

            def said(message):
                # What the browser itself tells of an answer with another status.
                if message.type == "error" and "status of 4" not in message.text:
                    problems.append(f"console: {message.text}")

            page.on("request", asked)
            page.on("console", said)
            page.on("pageerror", lambda error: problems.append(f"error: {error}"))
            desk = Desk(page, address)
            values(desk)
            picture(page, pictures, "chess")
            for step in (moves, promotion, keyboard, controls, lines, narrow):
                step(desk)
                print(f"{step.__name__}: ok")
            for step in (every_square, material, xiangqi, dark):
                step(desk, pictures)
                print(f"{step.__name__}: ok")
            browser.close()
    finally:
        server.terminate()
        server.wait()
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()

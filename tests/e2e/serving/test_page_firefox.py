# SPDX-License-Identifier: GPL-2.0-only
"""The page in Firefox: what other tests show of it in Chromium, of graph, table, mouse, keys and sizes, holds
there, too."""

import pytest

import firefox
from browser import started
from test_page import (served, test_addresses_of_others, test_callers_and_callees, test_graph_by_keyboard,
                       test_graph_by_mouse, test_lines_of_a_function, test_packages_can_be_folded,
                       test_search, test_table_is_sorted, test_table_of_functions)
from test_page_keys import test_menu_to_take_away, test_search_and_help
from test_page_layout import test_nothing_is_wider_than_the_screen, test_paths_are_short

__all__ = ["served", "test_addresses_of_others", "test_callers_and_callees", "test_graph_by_keyboard",
           "test_graph_by_mouse", "test_lines_of_a_function", "test_menu_to_take_away",
           "test_nothing_is_wider_than_the_screen", "test_packages_can_be_folded", "test_paths_are_short",
           "test_search", "test_search_and_help", "test_table_is_sorted", "test_table_of_functions"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with started(firefox.Browser, "firefox", tmp_path_factory.mktemp("firefox")) as one:
        yield one

"""Permission and duty in other words than "may" and "must", and who does what to whom (V1, V3)."""

from citewell_verify.verdicts.states import SentenceStatus
from verify_material.rows import for_all_rows
from verify_material.statuses import statuses

POLICY = "Customers may return a product within 30 days of the purchase date."
SAID = [
    (
        "Customers have 30 days to return a product.",
        POLICY,
    ),
    (
        "Customers have 30 days from the purchase date to return a product.",
        POLICY,
    ),
    (
        "Customers can return a product within 30 days.",
        POLICY,
    ),
    (
        "Customers are allowed to return a product within 30 days.",
        POLICY,
    ),
    (
        "Customers have the right to return a product within 30 days.",
        POLICY,
    ),
    (
        "Customers have the option to return a product within 30 days.",
        POLICY,
    ),
    (
        "Customers are permitted to return a product within 30 days.",
        POLICY,
    ),
    (
        "Customers are able to return a product within 30 days.",
        POLICY,
    ),
    (
        "Customers are entitled to return a product within 30 days of purchase.",
        POLICY,
    ),
    ("Visitors are allowed to enter the museum with a ticket.", "Visitors can enter the museum with a ticket."),
    ("Visitors may enter the museum with a ticket.", "Visitors can enter the museum with a ticket."),
    ("Customers may return a product within 30 days.", "Customers are allowed to return a product within 30 days."),
    ("Customers may return a product within 30 days.", "Customers have 30 days to return a product."),
    ("Members have two weeks to cancel.", "Members may cancel within two weeks."),
    ("Employees get 10 days to appeal.", "Employees may appeal within 10 days."),
    ("Dogs are not allowed to enter the park.", "Dogs must not enter the park."),
    ("Dogs are not allowed to enter the park.", "Dogs may not enter the park."),
    ("고객은 30일 안에 제품을 반품할 수 있다.", "고객은 구매일로부터 30일 이내에 제품을 반품할 수 있습니다."),
    ("고객은 30일 이내에 제품 반품이 가능하다.", "고객은 30일 이내에 제품을 반품할 수 있습니다."),
    ("고객은 30일 이내에 제품을 반품해도 된다.", "고객은 30일 이내에 제품을 반품할 수 있습니다."),
    ("It may rain on Monday.", "It might rain on Monday."),
    ("Customers are entitled to a refund.", "Customers are entitled to a refund."),
    ("입주자는 7일 이내에 취소해도 됩니다.", "입주자는 7일 이내에 취소할 수 있습니다."),
    ("입주자는 7일 이내에 취소할 수 있습니다.", "입주자는 7일 이내에 취소해도 됩니다."),
    ("The tenant has to give notice in writing.", "The tenant must give notice in writing."),
    ("The tenant must give notice in writing.", "The tenant has to give notice in writing."),
    ("The tenant is obliged to give notice in writing.", "The tenant must give notice in writing."),
    ("The tenant has two months to move out.", "The tenant has two months to move out."),
    ("The device is able to run on batteries.", "The device can run on batteries."),
    ("The device runs on batteries.", "The device runs on batteries."),
    ("The company has 30 days to respond to the notice.", "The company has 30 days to respond to the notice."),
    ("Anna has to do with the project.", "Anna has to do with the project."),
    ("The filter must be changed every 6 months.", "Change the filter every 6 months."),
    ("Pumps should be cleaned weekly.", "Clean pumps weekly."),
]
NOT_SAID = [
    (
        "Customers have 60 days to return a product.",
        POLICY,
    ),
    (
        "Customers have to return a product within 30 days.",
        POLICY,
    ),
    (
        "Customers must return a product within 30 days.",
        POLICY,
    ),
    (
        "Customers are not allowed to return a product within 30 days.",
        POLICY,
    ),
    ("Dogs are allowed to enter the park.", "Dogs are not allowed to enter the park."),
    ("Dogs are not allowed to enter the park.", "Dogs are allowed to enter the park."),
    ("Dogs may enter the park.", "Dogs are not allowed to enter the park."),
    ("Members have two weeks to cancel.", "Members may cancel within three weeks."),
    ("Customers have 30 days to return a product.", "Customers have 30 days to pay for a product."),
    ("Employees have 10 days to appeal.", "Employers have 10 days to appeal."),
    ("The drug cures cancer.", "The drug may cure cancer."),
    ("고객은 60일 이내에 제품 반품이 가능하다.", "고객은 30일 이내에 제품을 반품할 수 있습니다."),
    ("Visitors have to buy a ticket.", "Visitors are free to buy a ticket."),
    ("The robot flies.", "The robot may be able to fly."),
    ("The team was able to finish in 30 days.", "The team was unable to finish in 30 days."),
    ("Customers are entitled to a refund.", "Customers are not entitled to a refund."),
    ("입주자는 7일 이내에 취소해야 합니다.", "입주자는 7일 이내에 취소할 수 있습니다."),
    ("입주자는 7일 이내에 취소하면 안 됩니다.", "입주자는 7일 이내에 취소해도 됩니다."),
    ("The tenant may give notice in writing.", "The tenant has to give notice in writing."),
    ("The tenant has to give notice in writing.", "The tenant may give notice in writing."),
    ("The tenant does not have to give notice.", "The tenant has to give notice."),
    ("The tenant has to give notice.", "The tenant does not have to give notice."),
    ("The tenant must not give notice.", "The tenant does not have to give notice."),
    ("Trainers work 40 hours.", "Trainees work 40 hours."),
    ("The licensor pays 5 percent.", "The licensee pays 5 percent."),
    ("Pumps must run at 4 bar.", "Pumps run at 4 bar."),
]


@for_all_rows(("statement", "source"), SAID)
def test_a_permission_or_duty_in_other_words_is_supported(statement: str, source: str) -> None:
    assert statuses(statement, source) == {SentenceStatus.SUPPORTED}


@for_all_rows(("statement", "source"), NOT_SAID)
def test_another_permission_duty_or_role_is_not_supported(statement: str, source: str) -> None:
    assert SentenceStatus.SUPPORTED not in statuses(statement, source)
